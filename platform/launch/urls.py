"""Health at the root of the server, whatever the API prefix is."""

from django.urls import path

from launch import views

urlpatterns = [path("health", views.health, name="health"), path("ready", views.ready, name="ready")]
