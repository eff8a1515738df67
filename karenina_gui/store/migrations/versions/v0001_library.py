"""All tables of a library, with their indexes and triggers.

In SQL, as later versions must not change what this one creates: `store/tables.py` describes the newest version.
"""

from __future__ import annotations

from alembic import op

revision = "v0001"
down_revision = None
branch_labels = None
depends_on = None

SCHEMA = """
CREATE TABLE benchmark (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name VARCHAR NOT NULL, description VARCHAR NOT NULL, version VARCHAR NOT NULL, creator JSON,
    date_created VARCHAR NOT NULL, date_modified VARCHAR NOT NULL, rubric JSON, custom_properties JSON NOT NULL,
    scenarios JSON NOT NULL, source JSON NOT NULL, revision INTEGER NOT NULL, updated_at VARCHAR NOT NULL,
    deleted_at VARCHAR, workspace_root VARCHAR, trusted_at VARCHAR, separate_review BOOLEAN DEFAULT '0' NOT NULL
);
CREATE TABLE question (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    benchmark_id INTEGER NOT NULL, question_id VARCHAR NOT NULL, position INTEGER NOT NULL,
    question VARCHAR NOT NULL, raw_answer VARCHAR NOT NULL, keywords JSON NOT NULL, date_created VARCHAR NOT NULL,
    date_modified VARCHAR NOT NULL, answer_notes VARCHAR, author JSON, sources JSON, answer_template VARCHAR,
    workspace_path VARCHAR, question_rubric JSON, few_shot_examples JSON, custom_metadata JSON,
    finished BOOLEAN NOT NULL, template_valid BOOLEAN, source JSON NOT NULL, revision INTEGER NOT NULL,
    updated_at VARCHAR NOT NULL, deleted_at VARCHAR, has_template BOOLEAN DEFAULT '0' NOT NULL,
    id_set BOOLEAN DEFAULT '0' NOT NULL, finished_at VARCHAR, changed_since_review BOOLEAN DEFAULT '0' NOT NULL,
    samples INTEGER DEFAULT '0' NOT NULL, samples_wrong INTEGER, samples_unread INTEGER, mutation VARCHAR,
    finished_by VARCHAR, returned_at VARCHAR, reviewed_hash VARCHAR,
    FOREIGN KEY(benchmark_id) REFERENCES benchmark (id) ON DELETE CASCADE
);
CREATE INDEX ix_question_order ON question (benchmark_id, position);
CREATE INDEX ix_question_state ON question (benchmark_id, deleted_at, finished, has_template, template_valid);
CREATE UNIQUE INDEX ix_question_id ON question (benchmark_id, question_id)
    WHERE deleted_at IS NULL AND question_id <> '';
CREATE TABLE comment (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    question_number INTEGER NOT NULL, author VARCHAR NOT NULL, text VARCHAR NOT NULL, part VARCHAR,
    kind VARCHAR NOT NULL, created_at VARCHAR NOT NULL, done_at VARCHAR,
    FOREIGN KEY(question_number) REFERENCES question (id) ON DELETE CASCADE
);
CREATE INDEX ix_comment_question_number ON comment (question_number);
CREATE TABLE question_pair (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    benchmark_id INTEGER NOT NULL, first INTEGER NOT NULL, second INTEGER NOT NULL, title VARCHAR NOT NULL,
    texts_hash VARCHAR NOT NULL,
    FOREIGN KEY(benchmark_id) REFERENCES benchmark (id) ON DELETE CASCADE,
    FOREIGN KEY(first) REFERENCES question (id) ON DELETE CASCADE,
    FOREIGN KEY(second) REFERENCES question (id) ON DELETE CASCADE
);
CREATE INDEX ix_question_pair_benchmark_id ON question_pair (benchmark_id);
CREATE TABLE proposal (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    benchmark_id INTEGER NOT NULL, question INTEGER, kind VARCHAR NOT NULL, state VARCHAR NOT NULL,
    model VARCHAR NOT NULL, draft JSON NOT NULL, instructions VARCHAR NOT NULL, subject VARCHAR NOT NULL,
    recording VARCHAR, updated_at VARCHAR NOT NULL,
    FOREIGN KEY(benchmark_id) REFERENCES benchmark (id) ON DELETE CASCADE,
    FOREIGN KEY(question) REFERENCES question (id) ON DELETE CASCADE
);
CREATE INDEX ix_proposal_benchmark ON proposal (benchmark_id, state, kind, question);
CREATE TABLE model (
    id INTEGER NOT NULL,
    name VARCHAR NOT NULL, config JSON NOT NULL, manual_traces JSON, updated_at VARCHAR NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (name)
);
CREATE TABLE preset (
    id INTEGER NOT NULL,
    uid VARCHAR NOT NULL, name VARCHAR NOT NULL, description VARCHAR NOT NULL, config JSON NOT NULL,
    created_at VARCHAR NOT NULL, updated_at VARCHAR NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (uid),
    UNIQUE (name)
);
CREATE TABLE run (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    benchmark_id INTEGER NOT NULL, name VARCHAR NOT NULL, config JSON NOT NULL, manual_traces JSON NOT NULL,
    status VARCHAR NOT NULL, total INTEGER NOT NULL, done INTEGER NOT NULL, outcomes JSON NOT NULL,
    sandbox_level VARCHAR NOT NULL, recording_label VARCHAR, benchmark_hash VARCHAR NOT NULL,
    owner VARCHAR NOT NULL, message VARCHAR, created_at VARCHAR NOT NULL, finished_at VARCHAR, origin VARCHAR,
    recording VARCHAR, begun_at VARCHAR, heard_at VARCHAR, worked_before FLOAT DEFAULT '0' NOT NULL,
    reproducibility JSON, deleted_at VARCHAR,
    FOREIGN KEY(benchmark_id) REFERENCES benchmark (id) ON DELETE CASCADE
);
CREATE INDEX ix_run_benchmark ON run (benchmark_id);
CREATE TABLE snapshot (
    hash VARCHAR NOT NULL, document BLOB NOT NULL,
    PRIMARY KEY (hash)
);
CREATE TABLE job (
    id INTEGER NOT NULL,
    run_id INTEGER NOT NULL, key VARCHAR NOT NULL, position INTEGER NOT NULL, question_id VARCHAR NOT NULL,
    answering VARCHAR NOT NULL, judge VARCHAR, replicate INTEGER, status VARCHAR NOT NULL, condition VARCHAR,
    judge_replicate INTEGER,
    PRIMARY KEY (id),
    UNIQUE (run_id, key),
    FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE
);
CREATE TABLE answer (
    id INTEGER NOT NULL,
    run_id INTEGER NOT NULL, key VARCHAR NOT NULL, payload JSON NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (run_id, key),
    FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE
);
CREATE TABLE kept_reply (
    id INTEGER NOT NULL,
    run_id INTEGER NOT NULL, job_key VARCHAR NOT NULL, replies JSON NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (run_id, job_key),
    FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE
);
CREATE TABLE result (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    run_id INTEGER NOT NULL, job_key VARCHAR NOT NULL, position INTEGER NOT NULL, question_id VARCHAR NOT NULL,
    question_text VARCHAR NOT NULL, keywords JSON NOT NULL, answering VARCHAR NOT NULL, judge VARCHAR,
    replicate INTEGER, outcome VARCHAR NOT NULL, passed BOOLEAN, category VARCHAR, stage VARCHAR, error VARCHAR,
    seconds FLOAT NOT NULL, tokens INTEGER, recording_label VARCHAR, traits JSON DEFAULT '{}' NOT NULL,
    sought VARCHAR DEFAULT '' NOT NULL, unscored_traits INTEGER DEFAULT '0' NOT NULL, condition VARCHAR,
    judge_replicate INTEGER, extraction VARCHAR, answer_tokens INTEGER, out_of_scale JSON DEFAULT '[]' NOT NULL,
    UNIQUE (run_id, job_key),
    FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE
);
CREATE INDEX ix_result_question ON result (run_id, question_id, position, answering, judge, outcome);
CREATE INDEX ix_result_sought ON result (run_id, sought, position);
CREATE INDEX ix_result_keywords ON result (run_id, keywords, outcome);
CREATE INDEX ix_result_traits ON result (run_id, traits);
CREATE INDEX ix_result_unscored ON result (run_id) WHERE unscored_traits > 0;
CREATE INDEX ix_result_light ON result (
    run_id, position, answering, judge, replicate, outcome, category, seconds, tokens, condition, judge_replicate
);
CREATE TABLE payload (
    result_id INTEGER NOT NULL, document JSON NOT NULL,
    PRIMARY KEY (result_id),
    FOREIGN KEY(result_id) REFERENCES result (id) ON DELETE CASCADE
);
CREATE TABLE token_count (
    id INTEGER NOT NULL,
    result_id INTEGER NOT NULL, run_id INTEGER NOT NULL, model VARCHAR, input INTEGER DEFAULT '0' NOT NULL,
    output INTEGER DEFAULT '0' NOT NULL, cache_read INTEGER DEFAULT '0' NOT NULL,
    cache_creation INTEGER DEFAULT '0' NOT NULL, cache_creation_1h INTEGER DEFAULT '0' NOT NULL, length INTEGER,
    PRIMARY KEY (id),
    FOREIGN KEY(result_id) REFERENCES result (id) ON DELETE CASCADE
);
CREATE INDEX ix_token_count_result ON token_count (result_id);
CREATE INDEX ix_token_count_model ON token_count (model);
CREATE INDEX ix_token_count_run ON token_count (
    run_id, model, length, input, output, cache_read, cache_creation, cache_creation_1h
);
CREATE TABLE model_price (
    model VARCHAR NOT NULL, input FLOAT NOT NULL, output FLOAT NOT NULL, cache_read FLOAT, cache_creation FLOAT,
    updated_at VARCHAR NOT NULL,
    PRIMARY KEY (model)
);
CREATE TABLE calibration (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    benchmark_id INTEGER NOT NULL, question INTEGER, kind VARCHAR NOT NULL, name VARCHAR NOT NULL,
    seed INTEGER NOT NULL, answers JSON NOT NULL, created_by VARCHAR NOT NULL, created_at VARCHAR NOT NULL,
    FOREIGN KEY(benchmark_id) REFERENCES benchmark (id) ON DELETE CASCADE,
    FOREIGN KEY(question) REFERENCES question (id) ON DELETE CASCADE
);
CREATE INDEX ix_calibration_target ON calibration (benchmark_id, kind, name, question);
CREATE TABLE answer_label (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    benchmark_id INTEGER NOT NULL, calibration_id INTEGER NOT NULL, answer_key VARCHAR NOT NULL,
    answer VARCHAR NOT NULL, value JSON, skipped BOOLEAN NOT NULL, wording JSON NOT NULL,
    wording_hash VARCHAR NOT NULL, author VARCHAR NOT NULL, at VARCHAR NOT NULL,
    FOREIGN KEY(benchmark_id) REFERENCES benchmark (id) ON DELETE CASCADE,
    FOREIGN KEY(calibration_id) REFERENCES calibration (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX ix_answer_label ON answer_label (calibration_id, answer_key);
CREATE TABLE judgment_set (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    benchmark_id INTEGER NOT NULL, calibration_id INTEGER NOT NULL, wording JSON, wording_hash VARCHAR NOT NULL,
    judge VARCHAR NOT NULL, source VARCHAR NOT NULL, judged JSON NOT NULL, problems JSON NOT NULL,
    at VARCHAR NOT NULL,
    FOREIGN KEY(benchmark_id) REFERENCES benchmark (id) ON DELETE CASCADE
);
CREATE INDEX ix_judgment_set ON judgment_set (calibration_id);
CREATE TABLE shelf_item (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind VARCHAR NOT NULL, name VARCHAR NOT NULL, type_name VARCHAR NOT NULL, content JSON NOT NULL,
    author VARCHAR NOT NULL, at VARCHAR NOT NULL
);
CREATE INDEX ix_shelf_item_kind ON shelf_item (kind, name);
CREATE TABLE frozen_benchmark (
    key VARCHAR NOT NULL, document BLOB NOT NULL,
    PRIMARY KEY (key)
);
CREATE TABLE published_version (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    benchmark_id INTEGER NOT NULL, number INTEGER NOT NULL, name VARCHAR NOT NULL, note VARCHAR NOT NULL,
    sha256 VARCHAR NOT NULL, frozen VARCHAR NOT NULL, questions INTEGER NOT NULL, finished INTEGER NOT NULL,
    published_at VARCHAR NOT NULL, published_by VARCHAR NOT NULL,
    UNIQUE (benchmark_id, number),
    FOREIGN KEY(benchmark_id) REFERENCES benchmark (id) ON DELETE CASCADE,
    FOREIGN KEY(frozen) REFERENCES frozen_benchmark (key)
);
CREATE TABLE exchange (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    benchmark_id INTEGER NOT NULL, frozen VARCHAR NOT NULL, at VARCHAR NOT NULL,
    FOREIGN KEY(benchmark_id) REFERENCES benchmark (id) ON DELETE CASCADE,
    FOREIGN KEY(frozen) REFERENCES frozen_benchmark (key)
);
CREATE INDEX ix_exchange_benchmark ON exchange (benchmark_id, id);
CREATE TABLE linked_file (
    benchmark_id INTEGER NOT NULL, path VARCHAR NOT NULL, seen VARCHAR NOT NULL, frozen VARCHAR NOT NULL,
    linked_at VARCHAR NOT NULL,
    PRIMARY KEY (benchmark_id),
    FOREIGN KEY(benchmark_id) REFERENCES benchmark (id) ON DELETE CASCADE,
    FOREIGN KEY(frozen) REFERENCES frozen_benchmark (key)
);
CREATE TABLE command (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    scope VARCHAR NOT NULL, kind VARCHAR NOT NULL, data JSON NOT NULL, person VARCHAR NOT NULL,
    name VARCHAR NOT NULL, begun_at VARCHAR NOT NULL, at VARCHAR NOT NULL, state VARCHAR NOT NULL,
    undone_at VARCHAR, undone_by VARCHAR, size INTEGER NOT NULL
);
CREATE INDEX ix_command_scope ON command (scope, person, state, id);
CREATE TABLE row_change (
    id INTEGER NOT NULL,
    command_id INTEGER NOT NULL, table_name VARCHAR NOT NULL, row_key VARCHAR NOT NULL, operation VARCHAR NOT NULL,
    fields VARCHAR NOT NULL, before VARCHAR, after VARCHAR,
    PRIMARY KEY (id),
    FOREIGN KEY(command_id) REFERENCES command (id) ON DELETE CASCADE
);
CREATE INDEX ix_row_change_command ON row_change (command_id);
CREATE INDEX ix_row_change_row ON row_change (table_name, row_key, command_id);
CREATE TABLE draft (
    id INTEGER NOT NULL,
    place VARCHAR NOT NULL, person VARCHAR NOT NULL, value JSON, updated_at VARCHAR NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (place, person)
);
CREATE TABLE preference (
    person VARCHAR NOT NULL, name VARCHAR NOT NULL, value JSON, updated_at VARCHAR NOT NULL,
    PRIMARY KEY (person, name)
);
CREATE TABLE run_choice (
    benchmark_id INTEGER NOT NULL, person VARCHAR NOT NULL, choice JSON NOT NULL, updated_at VARCHAR NOT NULL,
    PRIMARY KEY (benchmark_id, person),
    FOREIGN KEY(benchmark_id) REFERENCES benchmark (id) ON DELETE CASCADE
);
CREATE TRIGGER published_version_changes BEFORE UPDATE ON published_version
    BEGIN SELECT RAISE(ABORT, 'A published version never changes.'); END;
-- A benchmark that is erased for good takes its versions along.
CREATE TRIGGER published_version_goes BEFORE DELETE ON published_version
    WHEN EXISTS (SELECT 1 FROM benchmark WHERE id = OLD.benchmark_id)
    BEGIN SELECT RAISE(ABORT, 'A published version never changes.'); END;
CREATE TRIGGER frozen_benchmark_changes BEFORE UPDATE ON frozen_benchmark
    BEGIN SELECT RAISE(ABORT, 'A published version never changes.'); END;
"""


def upgrade() -> None:
    for statement in SCHEMA.strip().split(";\n"):
        op.execute(statement)
