"""Names of columns, and the fields that they mean.

Whole names only, or whole parts of a name such as `Frage / question text`: a `q` somewhere in a name says nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

GUESSES = {
    "question": """question question_text text_of_question full_question question_stem questions frage fragetext
        fragestellung text_der_frage fragen pregunta texto_de_la_pregunta preguntas domanda testo_della_domanda pergunta
        texte_de_la_question intitule intitule_de_la_question questao enonce enunciado quesito
        prompt query problem problem_statement aufgabe aufgabentext aufgabenstellung stem item_text input
        text texte texto testo""",
    "raw_answer": """raw_answer answer reference_answer correct_answer expected_answer gold_answer ground_truth
        right_answer model_solution answer_key answer_text short_answer final_answer correct_response expected_response
        expected_output answers
        referenzantwort musterantwort richtige_antwort korrekte_antwort erwartete_antwort antwort antworttext
        kurzantwort antworten musterlosung losung losungen korrekte_losung
        reponse_type corrige reponses solution_attendue respuesta_modelo respuestas clave_de_respuestas
        reponse_de_reference reponse_correcte bonne_reponse reponse_attendue reponse
        respuesta_de_referencia respuesta_correcta respuesta_esperada respuesta
        risposta_di_riferimento risposta_corretta risposta_attesa risposta
        resposta_de_referencia resposta_correta resposta_certa resposta_esperada resposta gabarito
        reference expected gold target ideal solution solucion soluzione solucao key label""",
    "id": """id question_id qid item_id question_no question_nr frage_id fragennummer id_question id_pregunta id_domanda
        id_pergunta kennung identifiant identificador""",
    "keywords": """keywords keyword tags tag topics topic categories category subject
        stichworter stichworte stichwort schlagworter schlagworte schlagwort schlusselworter themen thema
        kategorien kategorie fachgebiet fach
        mots_cles mot_cle etiquettes themes theme sujets sujet categorie
        palabras_clave palabra_clave etiquetas temas tema categorias categoria asignatura materia
        parole_chiave parola_chiave etichette argomenti argomento temi
        palavras_chave palavra_chave assuntos assunto disciplina""",
    "answer_notes": """answer_notes notes note comments comment remarks remark rationale explanation begrundung
        erlauterung explication explicacion justification justificacion
        anmerkungen anmerkung bemerkungen bemerkung notizen notiz hinweise hinweis kommentare kommentar
        remarques remarque commentaires commentaire notas nota comentarios comentario observaciones
        commenti commento osservazioni observacoes""",
    "author": "author author_name created_by autor autorin verfasser verfasserin auteur autrice autora autore",
    "author_email": """author_email email e_mail mail e_mail_adresse courriel correo_electronico correo
        posta_elettronica""",
    "sources": """sources source references citation citations source_url url doi quellen quelle literatur
        source_de_la_question fuentes fuente fonti fonte fontes""",
    "answer_template": """answer_template template antwortvorlage vorlage modele_de_reponse plantilla_de_respuesta
        plantilla modello_di_risposta modelo_de_resposta""",
    "workspace_path": """workspace_path workspace_folder workspace arbeitsordner arbeitsverzeichnis espace_de_travail
        dossier_de_travail espacio_de_trabajo area_di_lavoro spazio_di_lavoro espaco_de_trabalho""",
    "few_shot_examples": "few_shot_examples few_shot examples beispiele exemples ejemplos esempi exemplos",
}
"""Field: the column names that mean it, as `plain_name` writes them, best first.

English, German, French, Spanish, Italian and Portuguese.
"""

# Columns of recorded answers.
QUESTION_COLUMNS = (
    "question_id",
    "id",
    "qid",
    "short_qid",
    "question",
    "question_text",
    "prompt",
    "task_id",
    "frage_id",
    "frage",
    "pregunta",
    "domanda",
    "pergunta",
)
TEXT_COLUMNS = ("question_text", "question", "prompt", "frage", "pregunta", "domanda", "pergunta")
ANSWER_COLUMNS = (
    "response",
    "llm_response",
    "raw_llm_response",
    "model_answer",
    "model_response",
    "output",
    "completion",
    "trace",
    "messages",
    "conversation",
    "generated_answer",
    "modellantwort",
    "reponse_du_modele",
    "respuesta_del_modelo",
    "risposta_del_modello",
    "resposta_do_modelo",
    "answer",
    "antwort",
    "reponse",
    "respuesta",
    "risposta",
    "resposta",
)
REPLICATE_COLUMNS = (
    "replicate",
    "trial",
    "repetition",
    "sample",
    "wiederholung",
    "durchlauf",
    "repeticion",
    "ripetizione",
    "repeticao",
)

CHOICE_COLUMNS = (
    "choices",
    "options",
    "answer_choices",
    "antwortmoglichkeiten",
    "choix",
    "opciones",
    "opzioni",
    "opcoes",
)
MODEL_COLUMNS = ("answering_model", "model", "model_name", "model_id", "llm", "modell", "modele", "modelo", "modello")

_UMLAUTS = {
    "stichwoerter": "stichworter",
    "schlagwoerter": "schlagworter",
    "schluesselwoerter": "schlusselworter",
    "loesung": "losung",
    "musterloesung": "musterlosung",
}
"""Names that are written without umlauts where a keyboard has none."""

KNOWN_NAMES = {*(word for names in GUESSES.values() for word in names.split()), *QUESTION_COLUMNS, *ANSWER_COLUMNS}


def plain_name(header: str) -> str:
    """The name in plain letters, with `_` for everything else.

    `Reference Answer ` and `reference-answer` become `reference_answer`, “Stichwörter” and “Stichwoerter” become
    `stichworter`.
    """
    letters = unicodedata.normalize("NFKD", header.casefold())
    # é is an e with an accent in this form; without the accent it is a plain e, as people without such a key write it.
    spelled = "".join(letter for letter in letters if not unicodedata.combining(letter))
    name = re.sub(r"[^a-z0-9]+", "_", spelled).strip("_")
    return _UMLAUTS.get(name, name)


def names_in(header: str) -> Iterator[str]:
    """The plain names that a header may be read as, the whole one first.

    `Frage / question text` is `frage` and `question_text`, too, and `Lösung (short)` is `losung`.
    """
    yield plain_name(header)
    parts = _PART_END.split(_IN_BRACKETS.sub(" ", header))
    yield from (name for part in parts if (name := _LEADING_NUMBER.sub("", plain_name(part))))


_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_PART_END = re.compile(r"[/|\n:]|\s[-\N{EN DASH}\N{EM DASH}]\s")
_LEADING_NUMBER = re.compile(r"^\d+_(?=[a-z])")


def is_known(header: str) -> bool:
    """True if the header names a field."""
    return any(name in KNOWN_NAMES for name in names_in(header))


def guess_columns(headers: Sequence[str]) -> dict[str, str]:
    """{field: column}, for the columns whose names say what they hold; each column is used once.

    Whole names are matched before parts of names.
    """
    by_whole_name = _match({plain_name(header): header for header in reversed(headers)}, {})
    remaining = [header for header in headers if header not in by_whole_name.values()]
    return _match({name: header for header in reversed(remaining) for name in names_in(header)}, by_whole_name)


def _match(by_name: dict[str, str], chosen: dict[str, str]) -> dict[str, str]:
    """`found` and, for its missing fields, the columns of their best names."""
    # The names come from the end of the file, so that the first of two columns with the same plain name counts.
    chosen = dict(chosen)
    for field, spellings in GUESSES.items():
        free = (by_name[name] for name in spellings.split() if name in by_name and by_name[name] not in chosen.values())
        if field not in chosen and (column := next(free, None)) is not None:
            chosen[field] = column
    return chosen
