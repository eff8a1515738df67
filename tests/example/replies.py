"""What the sample models say to the questions of the example, and what the sample judges make of it.

All of it is written for the example. Each answering model has three replies a question, one a replicate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from karenina_gui.example import ANSWERING_MODELS, JUDGES

CAREFUL, HASTY = ANSWERING_MODELS


@dataclass(frozen=True)
class Reply:
    """One answer; `extracted` is what the judge reads from it (None: the judge is not asked).

    `judge_says` replaces the judge's JSON, `refuses` is what the judge finds about abstention.
    """

    text: str
    extracted: dict[str, Any] | None = None
    judge_says: str | None = None
    refuses: bool = False
    strictly: dict[str, Any] | None = None
    """What the strict judge reads from it; None: the same as the other."""

    def clarity(self, judge: str) -> int:
        """1 to 5, as this judge finds it: longer answers explain more. The strict one wants a little more for a 4."""
        words = len(self.text.split()) - 2 * (judge == JUDGES[1]) - 10 * self.text.startswith("Great question")
        return 1 if self.refuses else 2 + (words >= 3) + (words >= 7) + (words >= 14)

    def reasons(self) -> int:
        """1 to 5, as the first judge finds it under `WORDINGS`: how many words and signs of a reason there are."""
        words = ("because", "since", "which", " so ", "by ", " x ", "=", ":", "through", "therefore")
        found = sum(word in self.text for word in words)
        return 1 if self.refuses else 1 + 2 * min(found, 2)

    def as_read_by(self, judge: str) -> Reply:
        if judge == JUDGES[0] or self.strictly is None:
            return self
        return replace(self, extracted=self.strictly, judge_says=None)


REPLIES: dict[str, dict[str, tuple[Reply, Reply, Reply]]] = {
    "aspirin": {
        CAREFUL: (
            Reply(
                "Yes. Aspirin transfers its acetyl group to a serine of cyclooxygenase-1. The enzyme stays blocked for "
                "the platelet's remaining life, about eight to ten days, since platelets have no nucleus to make more.",
                {"irreversible": True},
            ),
            Reply("Yes, by acetylating serine 529; the effect lasts as long as the platelet.", {"irreversible": True}),
            Reply("Yes. Unlike ibuprofen, aspirin binds covalently and irreversibly.", {"irreversible": True}),
        ),
        HASTY: (
            Reply("Yes, irreversibly.", {"irreversible": True}),
            Reply(
                "Not quite: like other NSAIDs, aspirin competes with arachidonic acid and comes off the enzyme again.",
                {"irreversible": False},
            ),
            Reply("Certainly! Aspirin is an irreversible inhibitor of COX-1.", {"irreversible": True}),
        ),
    },
    "loading_dose": {
        CAREFUL: (
            Reply("Vd = 0.5 L/kg x 70 kg = 35 L. Dose = 35 L x 10 mg/L = **350 mg**.", {"dose_mg": 350}),
            Reply("The volume of distribution is 35 L, so the loading dose is 350 mg.", {"dose_mg": 350}),
            Reply("350 mg: 35 L times 10 mg/L.", {"dose_mg": 350}),
        ),
        HASTY: (
            Reply("35 mg.", {"dose_mg": 35}),
            Reply("0.5 x 70 x 10 = 350", {"dose_mg": 350}, strictly={"dose_mg": None}),
            Reply("Sure! 0.5 L/kg x 70 kg = 35 L, and 35 L x 10 mg/L = 3500 mg.", {"dose_mg": 3500}),
        ),
    },
    "statins": {
        CAREFUL: (
            Reply(
                "3-hydroxy-3-methylglutaryl-coenzyme A reductase, the rate-limiting enzyme of cholesterol synthesis.",
                {"enzyme": "3-hydroxy-3-methylglutaryl-coenzyme A reductase"},
            ),
            Reply(
                "HMG-CoA reductase.",
                {"enzyme": "HMG-CoA reductase"},
                judge_says='Here is what I found:\n```json\n{"enzyme": "HMG-CoA reductase",}\n```',
            ),
            Reply("They inhibit HMG-CoA reductase in the liver.", {"enzyme": "HMG-CoA reductase"}),
        ),
        HASTY: (
            Reply("HMG-CoA reductase", {"enzyme": "HMG-CoA reductase"}),
            Reply("They block HMG-CoA synthase.", {"enzyme": "HMG-CoA synthase"}),
            Reply("Statins act on HMG-CoA reductase.", {"enzyme": "HMG-CoA reductase"}),
        ),
    },
    "tuberculosis": {
        CAREFUL: (
            Reply(
                "Isoniazid, rifampicin, pyrazinamide and ethambutol, followed by isoniazid and rifampicin alone.",
                {"drugs": ["isoniazid", "rifampicin", "pyrazinamide", "ethambutol"]},
            ),
            Reply(
                "Rifampin, isoniazid, pyrazinamide, ethambutol (RIPE).",
                {"drugs": ["rifampicin", "isoniazid", "pyrazinamide", "ethambutol"]},
            ),
            Reply(
                "The intensive phase is HRZE: isoniazid (H), rifampicin (R), pyrazinamide (Z), ethambutol (E).",
                {"drugs": ["isoniazid", "rifampicin", "pyrazinamide", "ethambutol"]},
            ),
        ),
        HASTY: (
            Reply(
                "Isoniazid, rifampicin, pyrazinamide, streptomycin.",
                {"drugs": ["isoniazid", "rifampicin", "pyrazinamide", "streptomycin"]},
            ),
            Reply(
                "RIPE: rifampicin, isoniazid, pyrazinamide, ethambutol.",
                {"drugs": ["rifampicin", "isoniazid", "pyrazinamide", "ethambutol"]},
            ),
            Reply("Isoniazid, rifampicin and ethambutol.", {"drugs": ["isoniazid", "rifampicin", "ethambutol"]}),
        ),
    },
    "imatinib": {
        CAREFUL: (
            Reply(
                "The FDA approved imatinib on 10 May 2001, for chronic myeloid leukaemia.", {"approved": "2001-05-10"}
            ),
            Reply("10 May 2001.", {"approved": "2001-05-10"}),
            Reply("On May 10, 2001, after a review of less than three months.", {"approved": "2001-05-10"}),
        ),
        HASTY: (
            Reply("May 2001, on the 18th I believe.", {"approved": "2001-05-18"}),
            Reply("May 10th, 2001", {"approved": "2001-05-10"}),
            Reply(
                "It was approved in the spring of 2001.",
                {"approved": None},
                judge_says="The answer names only a season, so there is no date that I could put into the form.",
                strictly={"approved": None},
            ),
        ),
    },
    "metformin": {
        CAREFUL: (Reply("A10BA02"), Reply("A10BA02"), Reply("A10BA02")),
        HASTY: (
            Reply("A10BA02"),
            Reply("The ATC code of metformin is A10BA02 (biguanides)."),
            Reply("A10BB01"),
        ),
    },
    "warfarin": {
        CAREFUL: (
            Reply(
                "Fluconazole inhibits CYP2C9, the main route of the more active S-warfarin. Its concentration goes up "
                "and the INR rises, often within days.",
                {"enzyme": "CYP2C9", "inr": "rises"},
            ),
            Reply("CYP2C9 is inhibited; expect the INR to rise.", {"enzyme": "CYP2C9", "inr": "rises"}),
            Reply(
                "It is CYP2C9 (to a lesser extent CYP3A4). The INR rises.",
                {"enzyme": "CYP2C9", "inr": "rises"},
                strictly={"enzyme": "CYP2C9 and CYP3A4", "inr": "rises"},
            ),
        ),
        HASTY: (
            Reply("CYP3A4 is inhibited, so the INR rises.", {"enzyme": "CYP3A4", "inr": "rises"}),
            Reply("CYP 2C9 - the INR goes up.", {"enzyme": "CYP 2C9", "inr": "rises"}),
            Reply(
                "Azoles inhibit CYP3A4. The INR falls; ask your pharmacist about the dose.",
                {"enzyme": "CYP3A4", "inr": "falls"},
            ),
        ),
    },
    "amiodarone": {
        CAREFUL: (
            Reply("Class III (it prolongs repolarisation), with properties of I, II and IV.", {"drug_class": "III"}),
            Reply("Class III.", {"drug_class": "III"}),
            Reply("It is counted as class III, a potassium channel blocker.", {"drug_class": "III"}),
        ),
        HASTY: (
            Reply("Class III", {"drug_class": "III"}),
            Reply("Class III antiarrhythmic", {"drug_class": "III"}),
            Reply("Great question! Amiodarone is a class I agent.", {"drug_class": "I"}),
        ),
    },
    "antidotes": {
        CAREFUL: (
            Reply(
                "Paracetamol: acetylcysteine. Heparin: protamine sulfate. Benzodiazepines: flumazenil.",
                {"paracetamol": "acetylcysteine", "heparin": "protamine sulfate", "benzodiazepines": "flumazenil"},
            ),
            Reply(
                "N-acetylcysteine, protamine, and flumazenil (with care, since it can cause seizures).",
                {"paracetamol": "N-acetylcysteine", "heparin": "protamine", "benzodiazepines": "flumazenil"},
            ),
            Reply(
                "Acetylcysteine for paracetamol, protamine for heparin; for benzodiazepines usually supportive care.",
                {"paracetamol": "acetylcysteine", "heparin": "protamine", "benzodiazepines": "supportive care"},
            ),
        ),
        HASTY: (
            Reply(
                "Acetylcysteine, vitamin K, flumazenil.",
                {"paracetamol": "acetylcysteine", "heparin": "vitamin K", "benzodiazepines": "flumazenil"},
                strictly={"paracetamol": None, "heparin": "vitamin K", "benzodiazepines": "flumazenil"},
            ),
            Reply(
                "Paracetamol: NAC; heparin: vitamin K; benzodiazepines: naloxone.",
                {"paracetamol": "NAC", "heparin": "vitamin K", "benzodiazepines": "naloxone"},
            ),
            Reply(
                "NAC, protamine, flumazenil",
                {"paracetamol": "NAC", "heparin": "protamine", "benzodiazepines": "flumazenil"},
            ),
        ),
    },
    "grapefruit": {
        CAREFUL: (
            Reply(
                "Furanocoumarins in the juice inactivate CYP3A4 in the gut wall, so less simvastatin is broken down "
                "on its first pass and more reaches the blood."
            ),
            Reply(
                "Grapefruit juice contains furanocoumarins such as bergamottin, which inactivate the enzyme CYP3A4 in "
                "the wall of the small intestine. Simvastatin is normally broken down there to a large extent; with "
                "the enzyme out of action, several times more of it reaches the blood."
            ),
            Reply("It blocks intestinal CYP3A4, which would otherwise metabolise much of the simvastatin dose."),
        ),
        HASTY: (
            Reply("Because it inhibits CYP 3A4 in the gut."),
            Reply("Grapefruit juice slows the liver down, so the statin stays in the body for longer."),
            Reply("It inhibits CYP3A4."),
        ),
    },
    "morphine": {
        CAREFUL: (
            Reply("About 30%, with a range of 20 to 40%, owing to first-pass metabolism.", {"percent": 30}),
            Reply("Roughly a quarter to a third, say 30%.", {"percent": 30}),
            Reply("Between 20 and 50%; 35% is a fair middle.", {"percent": 35}, strictly={"percent": None}),
        ),
        HASTY: (
            Reply("30%", {"percent": 30}),
            Reply("About 60 percent.", {"percent": 60}),
            Reply("Nearly all of it, 90% or more.", {"percent": 90}),
        ),
    },
    "paracetamol": {
        CAREFUL: (
            Reply("4 g in 24 hours, in divided doses; less in liver disease or low body weight.", {"grams": 4}),
            Reply("4 grams.", {"grams": 4}),
            Reply("The usual limit is 4 g a day (eight tablets of 500 mg).", {"grams": 4}),
        ),
        HASTY: (
            Reply("4 g", {"grams": 4}),
            Reply(
                "I'm sorry, but I can't give advice on doses of medicines. Please ask your doctor or pharmacist.",
                {"grams": None},
                refuses=True,
            ),
            Reply("Of course! An adult can take up to 6 g.", {"grams": 6}),
        ),
    },
}
