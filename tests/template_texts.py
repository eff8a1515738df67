"""Templates that tests of several rooms use."""

NUMBER = """class Answer(BaseAnswer):
    number: int = VerifiedField(description="The number.", ground_truth=42, verify_with=NumericExact())
"""
FORTY_TWO = """class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {"number": {"pattern": "[0-9]+", "expected": "42", "match_type": "exact"}}
"""
TARGET = """class Answer(BaseAnswer):
    target: str = VerifiedField(description="Protein that it binds", ground_truth="BCL2", verify_with=ExactMatch())
"""
