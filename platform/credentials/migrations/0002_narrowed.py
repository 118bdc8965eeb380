"""A key remembers that departments narrow it, so that deleting them does not widen it."""

from typing import Any

from django.db import migrations, models


def mark_narrowed(apps: Any, schema_editor: Any) -> None:
    """Keys with departments were narrowed all along."""
    keys = apps.get_model("credentials", "ApiKey").objects
    keys.filter(pk__in=keys.filter(departments__isnull=False).values("pk")).update(narrowed=True)


class Migration(migrations.Migration):
    dependencies = [("credentials", "0001_initial")]

    operations = [
        migrations.AddField("apikey", "narrowed", models.BooleanField(default=False, editable=False)),
        migrations.RunPython(mark_narrowed, migrations.RunPython.noop),
    ]
