"""The verbs: fourteen stages that turn one question into one result.

    Setup        ValidateTemplate                                    setup.py
    Generation   GenerateAnswer                                      generation.py
    Guards       RecursionLimitAutoFail, TraceValidationAutoFail     guards.py
    Pre-parse    AbstentionCheck, SufficiencyCheck                   preparse.py
    Template     ParseTemplate, VerifyTemplate                       template_path.py
    Enhancement  EmbeddingCheck, DeepJudgmentAutoFail                enhancements.py
    Rubric       RubricEvaluation, DeepJudgmentRubricAutoFail        rubric_path.py
    Finalization FinalizeResult                                      finalization.py

`orchestrator.py` puts them in order, `verification.py` runs them for one job.
"""
