"""Users in the admin: superusers manage them; everybody else changes their own name and e-mail address alone."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldBooleanSwitchWidget

from credentials.policy import may_route
from directory.actions import deactivate_user, delete_user, let_issue_router_keys, save_user
from directory.staff import is_superuser
from identity.models import User

admin.site.unregister(Group)  # rights come from memberships

OWN_FIELDS = ("first_name", "last_name", "email")


class AccountForm(UserChangeForm):
    """A user, and whether the one permission beside the roles is given."""

    issues_router_keys = forms.BooleanField(
        required=False,
        label="Issues router keys",
        widget=UnfoldBooleanSwitchWidget,
        help_text="May issue keys that search for tools and run them by name.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["issues_router_keys"] = may_route(self.instance)


@admin.register(User)
class AccountAdmin(UserAdmin, ModelAdmin):  # type: ignore[type-arg]  # not generic at run time
    """Users, for superusers; a person's own name and address for that person."""

    form = AccountForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "email", "first_name", "last_name", "is_staff", "is_active")
    list_filter = ("is_staff", "is_superuser", "is_active")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": OWN_FIELDS}),
        ("Access", {"fields": ("is_active", "is_staff", "is_superuser", "issues_router_keys")}),
    )
    add_fieldsets = ((None, {"classes": ("wide",), "fields": ("username", "email", "password1", "password2")}),)
    filter_horizontal = ()
    actions = ("deactivate_chosen",)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if is_superuser(request):
            return super().get_fieldsets(request, obj)
        return ((None, {"fields": OWN_FIELDS}),)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if not is_superuser(request):
            kwargs["form"] = UserChangeForm
        return super().get_form(request, obj, change=change, **kwargs)

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        found: QuerySet[User] = super().get_queryset(request)
        return found if is_superuser(request) else found.filter(pk=str(request.user.pk))

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        actor: Any = request.user
        save_user(actor, obj, form.changed_data)
        if change and is_superuser(request) and "issues_router_keys" in form.changed_data:
            let_issue_router_keys(actor, obj, form.cleaned_data["issues_router_keys"])

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """A user has no other relations here."""

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        delete_user(request.user, obj)  # type: ignore[arg-type]

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in queryset:
            self.delete_model(request, user)

    @admin.action(description="Deactivate the chosen users")
    def deactivate_chosen(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """They can neither sign in nor call any more."""
        for user in queryset:
            deactivate_user(request.user, user)  # type: ignore[arg-type]
        self.message_user(request, f"{len(queryset)} users are deactivated.")

    def user_change_password(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Of others, by superusers; a person's own page asks for the old one first."""
        if not is_superuser(request):
            raise PermissionDenied
        return super().user_change_password(request, *args, **kwargs)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_superuser(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_superuser(request) or (obj is not None and obj.pk == request.user.pk)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_view_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_superuser(request)
