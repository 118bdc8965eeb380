"""Audit entries are only ever added; the retention of old ones says so inside its transaction, and may only delete."""

from django.db import migrations

APPLY = """
CREATE FUNCTION receipts_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('atrium.audit_retention', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'Audit entries are never changed or deleted.' USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER receipts_auditentry_append_only BEFORE UPDATE OR DELETE ON receipts_auditentry
    FOR EACH ROW EXECUTE FUNCTION receipts_refuse_change();
CREATE TRIGGER receipts_auditentry_no_truncate BEFORE TRUNCATE ON receipts_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION receipts_refuse_change();
"""
UNDO = """
DROP TRIGGER receipts_auditentry_no_truncate ON receipts_auditentry;
DROP TRIGGER receipts_auditentry_append_only ON receipts_auditentry;
DROP FUNCTION receipts_refuse_change();
"""


class Migration(migrations.Migration):
    dependencies = [("receipts", "0001_initial")]

    operations = [migrations.RunSQL(APPLY, UNDO)]
