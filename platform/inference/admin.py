"""Where models are reached and with which keys: superusers only."""

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldBooleanSwitchWidget

from inference.actions import drop_account, keep_account
from inference.models import ProviderAccount


class ProviderAccountForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """The account, and a new key for it; the key it has is never shown."""

    secret = forms.CharField(
        label="new key",
        required=False,
        max_length=2000,
        strip=True,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "off"}),
        help_text="Leave it empty to keep the key there is. A key is never shown again.",
    )
    remove_secret = forms.BooleanField(label="remove the key", required=False, widget=UnfoldBooleanSwitchWidget)

    class Meta:
        model = ProviderAccount
        fields: ClassVar = ["provider", "tenant", "base_url", "is_active"]

    def clean(self) -> dict[str, Any]:
        """One or the other."""
        cleaned = super().clean() or {}
        if cleaned.get("secret") and cleaned.get("remove_secret"):
            self.add_error("remove_secret", "Either enter a new key or remove the one there is.")
        return cleaned

    def wished_secret(self) -> str | None:
        """The key to keep from now on; None for the one there is."""
        return "" if self.cleaned_data["remove_secret"] else self.cleaned_data["secret"] or None


@admin.register(ProviderAccount)
class ProviderAccountAdmin(ModelAdmin):
    """List and edit accounts."""

    form = ProviderAccountForm
    list_display = ("provider", "tenant_name", "base_url", "keeps_secret", "is_active", "updated_at")
    list_filter = ("provider", "is_active")
    list_select_related = ("tenant",)
    fields = ("provider", "tenant", "base_url", "secret", "remove_secret", "is_active")

    @admin.display(description="tenant")
    def tenant_name(self, account: ProviderAccount) -> str:
        """The tenant, or everybody."""
        return str(account.tenant) if account.tenant else "all tenants"

    @admin.display(description="key", boolean=True)
    def keeps_secret(self, account: ProviderAccount) -> bool:
        """Whether there is a key."""
        return account.has_secret

    def save_model(self, request: HttpRequest, obj: ProviderAccount, form: Any, change: bool) -> None:
        keep_account(obj, secret=form.wished_secret())

    def delete_model(self, request: HttpRequest, obj: ProviderAccount) -> None:
        drop_account(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[ProviderAccount]) -> None:
        for account in queryset:
            drop_account(account)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)

    def has_view_permission(self, request: HttpRequest, obj: ProviderAccount | None = None) -> bool:
        return self.has_module_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_module_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: ProviderAccount | None = None) -> bool:
        return self.has_module_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: ProviderAccount | None = None) -> bool:
        return self.has_module_permission(request)
