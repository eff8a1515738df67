"""What the sample models say when they are told to answer in one sentence, as `replies.py` has what they say unasked.

Being brief helps the hasty model a little, costs the careful one its working, and turns two questions round.
"""

from __future__ import annotations

from tests.example.replies import CAREFUL, HASTY, Reply

ALL_FOUR = {"drugs": ["isoniazid", "rifampicin", "pyrazinamide", "ethambutol"]}

IN_ONE_SENTENCE: dict[str, dict[str, tuple[Reply, Reply, Reply]]] = {
    "aspirin": {
        CAREFUL: (
            Reply("Yes, it acetylates the enzyme for the life of the platelet.", {"irreversible": True}),
            Reply("Yes, irreversibly, by acetylation of a serine.", {"irreversible": True}),
            Reply("Yes, because the acetyl group that it transfers is not removed again.", {"irreversible": True}),
        ),
        HASTY: (
            Reply("Yes, aspirin blocks it irreversibly.", {"irreversible": True}),
            Reply("Yes, for as long as the platelet lives.", {"irreversible": True}, strictly={"irreversible": None}),
            Reply("Irreversibly, yes.", {"irreversible": True}),
        ),
    },
    "loading_dose": {
        CAREFUL: (
            Reply("350 mg, that is 35 L times 10 mg/L.", {"dose_mg": 350}),
            Reply("A loading dose of 350 mg.", {"dose_mg": 350}),
            Reply("35 mg intravenously.", {"dose_mg": 35}),
        ),
        HASTY: (
            Reply("350 mg.", {"dose_mg": 350}),
            Reply("35 mg.", {"dose_mg": 35}),
            Reply("About 3500, given slowly.", {"dose_mg": 3500}),
        ),
    },
    "statins": {
        CAREFUL: (
            Reply("HMG-CoA reductase.", {"enzyme": "HMG-CoA reductase"}),
            Reply("HMG-CoA reductase, in the liver.", {"enzyme": "HMG-CoA reductase"}),
            Reply("The HMG-CoA reductase of the liver cell.", {"enzyme": "HMG-CoA reductase"}),
        ),
        HASTY: (
            Reply("HMG-CoA reductase!", {"enzyme": "HMG-CoA reductase"}),
            Reply("It is the HMG-CoA reductase.", {"enzyme": "HMG-CoA reductase"}),
            Reply("Cholesterol synthase.", {"enzyme": "cholesterol synthase"}),
        ),
    },
    "tuberculosis": {
        CAREFUL: (
            Reply("Isoniazid, rifampicin, pyrazinamide and ethambutol.", ALL_FOUR),
            Reply("Rifampicin, isoniazid, pyrazinamide and ethambutol, daily.", ALL_FOUR),
            Reply("Isoniazid, rifampin, pyrazinamide and ethambutol for two months.", ALL_FOUR),
        ),
        HASTY: (
            Reply("Isoniazid, rifampicin, ethambutol and pyrazinamide.", ALL_FOUR),
            Reply("Rifampicin, isoniazid and pyrazinamide.", {"drugs": ["rifampicin", "isoniazid", "pyrazinamide"]}),
            Reply(
                "RIPE, that is rifampin, isoniazid, pyrazinamide, ethambutol.",
                ALL_FOUR,
                strictly={"drugs": ["ripe", "rifampicin", "isoniazid", "pyrazinamide", "ethambutol"]},
            ),
        ),
    },
    "imatinib": {
        CAREFUL: (
            Reply("10 May 2001, for chronic myeloid leukaemia.", {"approved": "2001-05-10"}),
            Reply("May 10, 2001.", {"approved": "2001-05-10"}),
            Reply("In May 2001.", {"approved": None}),
        ),
        HASTY: (
            Reply("May 10, 2001, by the FDA.", {"approved": "2001-05-10"}),
            Reply("In 2001.", {"approved": None}),
            Reply("On 1 May 2001.", {"approved": "2001-05-01"}),
        ),
    },
    "metformin": {
        CAREFUL: (Reply("A10BA02"), Reply("A10BA02"), Reply("A10BA02 is its ATC code.")),
        HASTY: (Reply("A10BA02"), Reply("A10BA02."), Reply("A10BA02")),
    },
    "warfarin": {
        CAREFUL: (
            Reply("CYP2C9 is inhibited and the INR rises.", {"enzyme": "CYP2C9", "inr": "rises"}),
            Reply("CYP2C9, so the INR rises within days.", {"enzyme": "CYP2C9", "inr": "rises"}),
            Reply(
                "CYP2C9, and to some extent CYP3A4, is inhibited, so the INR rises.",
                {"enzyme": "CYP2C9", "inr": "rises"},
                strictly={"enzyme": "CYP2C9 and CYP3A4", "inr": "rises"},
            ),
        ),
        HASTY: (
            Reply("CYP2C9, and the INR rises.", {"enzyme": "CYP2C9", "inr": "rises"}),
            Reply("CYP3A4, so the INR goes up.", {"enzyme": "CYP3A4", "inr": "rises"}),
            Reply("CYP2C9; up.", {"enzyme": "CYP2C9", "inr": "rises"}, strictly={"enzyme": "CYP2C9", "inr": None}),
        ),
    },
    "amiodarone": {
        CAREFUL: (
            Reply("Class III, with effects of the others.", {"drug_class": "III"}),
            Reply("Class III, a potassium channel blocker.", {"drug_class": "III"}),
            Reply("III.", {"drug_class": "III"}),
        ),
        HASTY: (
            Reply("Class III of four.", {"drug_class": "III"}),
            Reply("The third class.", {"drug_class": "III"}),
            Reply("Class III, as every student knows.", {"drug_class": "III"}),
        ),
    },
    "antidotes": {
        CAREFUL: (
            Reply(
                "Acetylcysteine, protamine and flumazenil, in this order.",
                {"paracetamol": "acetylcysteine", "heparin": "protamine", "benzodiazepines": "flumazenil"},
            ),
            Reply(
                "Acetylcysteine for paracetamol, protamine for heparin and flumazenil for benzodiazepines.",
                {"paracetamol": "acetylcysteine", "heparin": "protamine", "benzodiazepines": "flumazenil"},
            ),
            Reply(
                "Acetylcysteine, protamine sulfate, flumazenil.",
                {"paracetamol": "acetylcysteine", "heparin": "protamine sulfate", "benzodiazepines": "flumazenil"},
            ),
        ),
        HASTY: (
            Reply(
                "Acetylcysteine.",
                {"paracetamol": "acetylcysteine", "heparin": None, "benzodiazepines": None},
            ),
            Reply(
                "NAC for paracetamol and vitamin K for the rest; ask your pharmacist.",
                {"paracetamol": "NAC", "heparin": "vitamin K", "benzodiazepines": "vitamin K"},
            ),
            Reply(
                "NAC, protamine and flumazenil.",
                {"paracetamol": "NAC", "heparin": "protamine", "benzodiazepines": "flumazenil"},
            ),
        ),
    },
    "grapefruit": {
        CAREFUL: (
            Reply("It inactivates CYP3A4 in the gut wall, so more simvastatin reaches the blood."),
            Reply("Its furanocoumarins inactivate intestinal CYP3A4, which would break simvastatin down."),
            Reply("Because CYP3A4 in the gut wall, which breaks simvastatin down, is inactivated."),
        ),
        HASTY: (
            Reply("It blocks an enzyme of the gut."),
            Reply("It inhibits CYP3A4 in the gut."),
            Reply("It slows the liver down."),
        ),
    },
    "morphine": {
        CAREFUL: (
            Reply("About 30%, because of first-pass metabolism.", {"percent": 30}),
            Reply("Roughly 30 percent.", {"percent": 30}),
            Reply("Somewhere from 30 to 50%, depending on the liver.", {"percent": 40}, strictly={"percent": 50}),
        ),
        HASTY: (
            Reply("Some 30%.", {"percent": 30}),
            Reply("About a third of it.", {"percent": 33}, strictly={"percent": None}),
            Reply("80%.", {"percent": 80}),
        ),
    },
    "paracetamol": {
        CAREFUL: (
            Reply("4 g in 24 hours.", {"grams": 4}),
            Reply("4 g a day, in divided doses.", {"grams": 4}),
            Reply("4 g, and less in liver disease, on which a pharmacist advises.", {"grams": 4}),
        ),
        HASTY: (
            Reply("4 g a day.", {"grams": 4}),
            Reply("4 grams, but ask a doctor.", {"grams": 4}),
            Reply("Sorry, that is for your doctor to say.", {"grams": None}, refuses=True),
        ),
    },
}
