"""The outermost object of a checkpoint: the benchmark itself, with its traits and properties."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from karenina_gui.formats.checkpoints.custom_traits import PROPERTIES
from karenina_gui.formats.checkpoints.json_patch import as_list, overlay
from karenina_gui.formats.checkpoints.properties import decode, property_value, values_of
from karenina_gui.formats.checkpoints.trait_lists import rated_in, read_ratings, rubric_of, with_ratings
from karenina_gui.formats.checkpoints.trait_record import TraitRecord
from karenina_gui.formats.checkpoints.traits import UnreadableRating, read_legacy
from karenina_gui.formats.json_text import to_json_bytes
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.problems import as_sentence
from karenina_gui.schemas.published_version import PublishedVersion

FORMAT_VERSION = "3.0.0-jsonld"
LEGACY_TRAITS = {
    "global_regex_rubric_traits": "regex",
    "global_callable_rubric_traits": "callable",
    "global_metric_rubric_traits": "metric",
}
"""{property: trait type}. Each property holds a JSON list of such traits, in files older than the `rating` form."""

VERSION = "karenina_gui_published_version"
"""Property of a file that holds a published version: which one, by whom, and the hash of its content."""
RESERVED = {"benchmark_format_version", "benchmark_type", VERSION, *LEGACY_TRAITS, *PROPERTIES}
_VERSION_FACTS = ("number", "name", "note", "sha256", "published_at", "published_by")
_ORDER = (
    "@context",
    "@type",
    "@id",
    "name",
    "description",
    "version",
    "creator",
    "dateCreated",
    "dateModified",
    "rating",
    "dataFeedElement",
    "hasPart",
    "additionalProperty",
)

_SETS = {key: {"@id": key, "@container": "@set"} for key in ("additionalProperty", "hasPart", "keywords")}
CONTEXT: dict[str, Any] = {
    "@version": 1.1,
    "@vocab": "https://schema.org/",
    "karenina": "urn:karenina:vocab:",
    "dataFeedElement": {"@id": "dataFeedElement", "@container": "@set"},
    "item": {"@id": "item", "@type": "@id"},
    "acceptedAnswer": {"@id": "acceptedAnswer", "@type": "@id"},
    "rating": {"@id": "contentRating", "@container": "@set"},
    **_SETS,
}


def read_root(data: dict[str, Any], default_name: str, notes: list[str]) -> BenchmarkDocument:
    """The benchmark without its questions; `notes` receives what is kept but not used."""
    now = datetime.now().isoformat()
    values = values_of(data)
    rated = read_ratings(data, "Global", "Benchmark", notes)
    rated += [entry for _, entry in _legacy(values, rated, notes)]
    creator = data.get("creator")
    return BenchmarkDocument(
        name=_text(data.get("name"), default_name or "Benchmark"),
        description=_text(data.get("description")),
        version=_text(data.get("version"), "0.1.0"),
        creator=creator if isinstance(creator, dict) else _text(creator),
        date_created=_text(data.get("dateCreated"), now),
        date_modified=_text(data.get("dateModified"), now),
        rubric=rubric_of(rated),
        custom_properties={name: value for name, value in values.items() if name not in RESERVED},
        scenarios=[part for part in as_list(data.get("hasPart")) if isinstance(part, dict)],
    )


def write_root(
    document: BenchmarkDocument, elements: list[Any], version: PublishedVersion | None = None
) -> dict[str, Any]:
    """The whole file: as it was read, with what has changed since then.

    `version`: the published version that the document is. Raises `InputError` if the rubric cannot be written.
    """
    source = {key: value for key, value in document.source.items() if key != "dataFeedElement"}
    old = _as_read(document, source)
    result: dict[str, Any] = overlay(source, _fresh(old, old) if old else {}, _fresh(document, old))
    current = _without_kept_legacy_traits(result, rated_in(document.rubric, "Benchmark"))
    result = with_ratings(result, current, "Global")
    changed = result != source or elements != _elements_as_read(document)
    if old and changed and document.date_modified == old.date_modified:
        result["dateModified"] = datetime.now().isoformat()
    result["dataFeedElement"] = elements
    result = _with_version(result, version)
    # Keys in the order of the file, so that two versions of it can be compared line by line.
    return _in_order(result, list(document.source or _ORDER))


def _with_version(result: dict[str, Any], version: PublishedVersion | None) -> dict[str, Any]:
    """The file with its own version instead of that of an earlier one."""
    # An edited copy of a version would otherwise go on claiming its hash.
    before = as_list(result.get("additionalProperty"))
    properties = [entry for entry in before if not _states_version(entry)]
    if version is not None:
        facts = {name: getattr(version, name) for name in _VERSION_FACTS}
        properties.append(property_value(VERSION, {name: value for name, value in facts.items() if value}))
    if properties == before:
        return result
    return {**result, "additionalProperty": properties}


def stated_version(document: BenchmarkDocument) -> str | None:
    """Hash of the published version that the file of a document was exported from; None: it names none."""
    stated = values_of(document.source).get(VERSION)
    sha256 = stated.get("sha256") if isinstance(stated, dict) else None
    return sha256 if isinstance(sha256, str) else None


def _states_version(entry: Any) -> bool:
    return isinstance(entry, dict) and entry.get("name") == VERSION


def _in_order(data: dict[str, Any], order: list[str]) -> dict[str, Any]:
    """The data with its keys in this order; those that are not in it come last."""
    keys = [*(key for key in order if key in data), *(key for key in data if key not in order)]
    return {key: data[key] for key in keys}


def _as_read(document: BenchmarkDocument, source: dict[str, Any]) -> BenchmarkDocument | None:
    """The benchmark as its file has it; None for one that came from no file."""
    if not source:
        return None
    old = read_root(source, document.name, [])
    # A missing date is filled with the current time; read twice, it would look like a change.
    if not source.get("dateCreated"):
        old.date_created = document.date_created
    if not source.get("dateModified"):
        old.date_modified = document.date_modified
    return old


def _fresh(document: BenchmarkDocument, old: BenchmarkDocument | None) -> dict[str, Any]:
    """The benchmark as we would write it, without questions and ratings; constants only if there is no old one."""
    constant: dict[str, Any] = {}
    properties = [property_value(name, value) for name, value in document.custom_properties.items()]
    if document.scenarios:
        properties.insert(0, property_value("benchmark_type", "scenario"))
    if old is None:
        constant = {"@context": CONTEXT, "@type": "DataFeed", "@id": _new_id(document)}
        properties.insert(0, property_value("benchmark_format_version", FORMAT_VERSION))
    written = {
        **constant,
        "name": document.name,
        "description": document.description,
        "version": document.version,
        "creator": document.creator,
        "dateCreated": document.date_created,
        "dateModified": document.date_modified,
    }
    if document.scenarios:
        written["hasPart"] = document.scenarios
    if properties:
        written["additionalProperty"] = properties
    return written


def _new_id(document: BenchmarkDocument) -> str:
    """An id in upstream's form, from the time of creation, so that saving twice gives the same id."""
    try:
        moment = datetime.fromisoformat(document.date_created).timestamp()
    except ValueError:
        moment = datetime.now().timestamp()
    return f"urn:uuid:karenina-checkpoint-{moment}"


def _elements_as_read(document: BenchmarkDocument) -> list[Any]:
    return [entry.source for entry in document.entries] + as_list(document.source.get("dataFeedElement"))


def _legacy(
    values: dict[str, Any], before: list[TraitRecord], notes: list[str]
) -> list[tuple[tuple[str, int], TraitRecord]]:
    """((property, index), trait) for each trait of the old form that can be used beside those of `before`."""
    traits: list[tuple[tuple[str, int], TraitRecord]] = []
    taken = {rated.trait.name for rated in before}
    for name, type_name in LEGACY_TRAITS.items():
        stored = decode(values.get(name))
        for index, settings in enumerate(stored if isinstance(stored, list) else []):
            try:
                trait = read_legacy(type_name, settings)
                if trait.name in taken or "." in trait.name:
                    raise UnreadableRating("its name is already used, or contains a period")
            except UnreadableRating as fault:
                unused = f"Benchmark: trait {index + 1} of {name!r} is preserved but not used"
                notes.append(f"{unused}: {as_sentence(str(fault))}")
                continue
            taken.add(trait.name)
            traits.append(((name, index), TraitRecord(type_name, trait)))
    return traits


def _without_kept_legacy_traits(result: dict[str, Any], current: list[TraitRecord]) -> list[TraitRecord]:
    """The traits that ratings must hold; traits of the old form that were changed or removed leave their property."""
    values = values_of(result)
    stale: dict[str, set[int]] = {}
    for (name, index), rated in _legacy(values, read_ratings(result, "Global", "", []), []):
        if rated in current:
            current = [other for other in current if other != rated]
        else:
            stale.setdefault(name, set()).add(index)
    for name, indices in stale.items():
        remaining = [settings for index, settings in enumerate(decode(values[name])) if index not in indices]
        text = to_json_bytes(remaining, indent=None).decode()
        old, new = [property_value(name, values[name])], [property_value(name, text)]
        result["additionalProperty"] = overlay(result["additionalProperty"], old, new)
    return current


def _text(value: Any, default: str = "") -> str:
    """The value as a text; `default` if there is none, or an empty one."""
    return default if value is None else str(value) or default
