"""Departments as callers see them."""

from rest_framework import serializers

from api.serializers import CamelSerializer, Flag, Text, Whole


class DepartmentsQuery(CamelSerializer):
    """Which departments to list."""

    query = Text(required=False, max_length=200, help_text="Keep departments whose name or slug contains this text.")
    page = Whole(required=False, min_value=0, default=0, help_text="Zero-based page.")
    per_page = Whole(required=False, min_value=1, max_value=1000, default=100, help_text="Entries of a page.")


class DepartmentAnswer(CamelSerializer):
    """One department."""

    id = Text(help_text="Pass it as departmentId.")
    slug = Text()
    name = Text()
    parent_id = Text(allow_null=True)


class DepartmentList(CamelSerializer):
    """A page of departments."""

    departments = serializers.ListField(child=DepartmentAnswer())
    total = Whole()
    page = Whole()
    per_page = Whole()
    has_more = Flag()
