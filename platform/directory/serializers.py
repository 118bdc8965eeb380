"""Departments as callers see them."""

from rest_framework import serializers

from api.pagination import PageAnswer, PageQuery
from api.serializers import CamelSerializer, Text


class DepartmentsQuery(PageQuery):
    """Which departments to list."""

    query = Text(required=False, max_length=200, help_text="Keep departments whose name or slug contains this text.")


class DepartmentAnswer(CamelSerializer):
    """One department."""

    id = Text(help_text="Pass it as departmentId.")
    slug = Text()
    name = Text()
    parent_id = Text(allow_null=True)


class DepartmentList(PageAnswer):
    """A page of departments."""

    departments = serializers.ListField(child=DepartmentAnswer())
