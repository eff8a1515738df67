"""Standard library modules that templates may import. Importing them here makes them available."""

# ruff: noqa: F401

from __future__ import annotations

import _strptime  # type: ignore[import-not-found]  # datetime.strptime would load it at its first call
import abc
import base64
import binascii
import bisect
import calendar
import cmath
import collections.abc
import contextlib
import copy
import csv
import dataclasses
import datetime
import decimal
import difflib

# Codecs are imported at their first use, which a locked process cannot do.
import encodings.ascii
import encodings.cp1252
import encodings.idna
import encodings.latin_1
import encodings.punycode
import encodings.unicode_escape
import encodings.utf_8_sig
import encodings.utf_16
import encodings.utf_16_be
import encodings.utf_16_le
import encodings.utf_32
import enum
import fractions
import functools
import hashlib
import heapq
import html
import html.parser
import io
import itertools
import json
import locale
import logging
import math
import numbers
import operator
import pprint
import random
import re
import statistics
import string
import textwrap
import time
import traceback
import types
import typing
import unicodedata
import uuid
