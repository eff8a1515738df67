"""Pipeline: the stages that turn one question into one result.

    Setup        ValidateTemplate                                    setup.py
    Generation   GenerateAnswer                                      generation.py
    Guards       RecursionLimitAutoFail, TraceValidationAutoFail     guards.py
    Pre-parse    AbstentionCheck, SufficiencyCheck                   preparse.py
    Template     ParseTemplate, VerifyTemplate                       template_path.py
                 AgenticParseTemplate in place of ParseTemplate      agentic_parsing.py
    Enhancement  EmbeddingCheck, DeepJudgmentAutoFail                enhancements.py
    Rubric       RubricEvaluation, DeepJudgmentRubricAutoFail        rubric_path.py
                 AgenticRubricEvaluation                             agentic_rubric.py
    Finalization FinalizeResult                                      finalization.py

`orchestrator.py` puts them in order, `verify_job.py` runs them for one job.
"""
