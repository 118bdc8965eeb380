import asyncio, json, threading, time
from typing import Any
import pytest
from django.conf import settings
from django.db import connections
from django.test import Client
from tests.workflows import flows
from tests.workflows.client import Runs
from tests.workflows.flows import *
from tests.workflows.stored import store, calls
from workflows.builder import workflow
from workflows.context import StepContext
from workflows.functions import step
from workflows.models import WorkflowRun, WorkflowStep, Workflow
from workflows.taking_up import take_up
from workflows.engine import LEDGER

@step
def zb_state(data: Any, context: StepContext) -> Any:
    context.set_state(x={"nul": "\x00", "big": 2**70, "obj": object()}[data]); return 1
@step
def zb_suspend(data: Any, context: StepContext) -> Any:
    if context.resume_data is None:
        context.suspend({"object": object(), "nul": "\x00", "large": "x"*2_000_000}[data])
    return 1
@step(pure=True)
def zb_pask(data: Any, context: StepContext) -> Any:
    if context.resume_data is None: context.suspend("?")
    time.sleep(0.045); return 1
@step
def zb_ask(data: Any, context: StepContext) -> Any:
    if context.resume_data is None: context.suspend("?")
    return context.resume_data
@step(slow=True)
def zb_two(data: Any) -> Any:
    time.sleep(2); return data
workflow("zb-state").then(zb_state)
workflow("zb-suspend").then(zb_suspend)
zb_ia = workflow("zb-ia").then(zb_pask).then(slowly)
workflow("zb-race").parallel([zb_ia, zb_ask])
zb_is = workflow("zb-is").sleep(0.2).then(echo)
workflow("zb-parsleep").parallel([zb_is, zb_two])
workflow("zb-ask").then(zb_ask).then(echo)
workflow("zb-each").foreach(pure_echo, concurrency=50)
workflow("zb-pause").then(zb_two).then(echo)
workflow("zb-nap").sleep(0.2).then(echo)

def req(runs, method, path, body=None, headers=None):
    c = Client(raise_request_exception=False)
    r = c.generic(method, f"{settings.API_PREFIX}{path}", data="" if body is None else json.dumps(body), content_type="application/json", headers=headers or runs.headers)
    return r.status_code, (r.content[:400] if not r.streaming else "stream")
def start(runs, wf, given, rid=None):
    return req(runs, "POST", f"/workflows/{wf}/start-async" + (f"?runId={rid}" if rid else ""), {"inputData": given})
def last(cast):
    run = WorkflowRun.objects.filter(tenant=cast.tenant).order_by("-id").first()
    return run and (run.run_id, run.status, run.owner and "held", run.error, run.takings)
def P(*a): print("\n###", *a, flush=True)

@pytest.fixture(autouse=True)
def short(settings): settings.WAIT_SECONDS = 1; settings.RUN_LEASE_SECONDS = 600

@pytest.mark.parametrize("wf,given", [("zb-state","nul"),("zb-state","big"),("zb-state","obj"),("zb-suspend","object"),("zb-suspend","nul"),("zb-suspend","large")])
def test_values(cast, ben, wf, given):
    P(wf, given, start(ben, wf, given, "r1"), last(cast))
    run = WorkflowRun.objects.get(tenant=cast.tenant)
    for i in range(7):
        WorkflowRun.objects.filter(pk=run.pk).update(due_at="2020-01-01T00:00:00Z")
        try: r = take_up(run.pk)
        except Exception as e: r = f"raised {type(e).__name__}"
    run.refresh_from_db(); P("  after takings:", r, run.status, run.error)

def test_explosion(cast, ben):
    store(cast.tenant, "boom", {"steps":[{"type":"mapping","mapping":"join('', [to_string(input), to_string(input)])"} for _ in range(19)]})
    t=time.time(); s, b = start(ben, "boom", "0123456789"); P("explosion", s, b[:60], round(time.time()-t,2))
    run = WorkflowRun.objects.get(tenant=cast.tenant); P("  result bytes", len(json.dumps(run.result) or ""), "limit", settings.LIMIT_RUN_VALUE_BYTES)

def test_big_state(cast, ben):
    P("initialState 3 MiB", req(ben,"POST","/workflows/t-suspend/start-async?runId=b", {"inputData":{"n":1},"initialState":{f"k{i}":"x"*500_000 for i in range(7)}})[0])
    P("resumeData 3 MiB", req(ben,"POST","/workflows/t-suspend/resume-async?runId=b", {"resumeData":{"ok":True, **{f"k{i}":"x"*500_000 for i in range(7)}}})[0])

def test_resume_race(cast, ben):
    for k in range(6):
        start(ben, "zb-race", 1, f"r{k}")
        out = {}
        def go(name, delay):
            time.sleep(delay)
            out[name] = req(ben, "POST", f"/workflows/zb-race/resume-async?runId=r{k}", {"step": name, "resumeData": 1}); connections.close_all()
        ts = [threading.Thread(target=go, args=("zb-ia.zb_pask" if True else "", 0)), threading.Thread(target=go, args=("zb_ask", 0.03))]
        [t.start() for t in ts]; [t.join() for t in ts]
        run = WorkflowRun.objects.get(tenant=cast.tenant, run_id=f"r{k}")
        P(k, {n: (s, b[:100]) for n,(s,b) in out.items()}, run.status, repr(run.owner[:3]), run.control)

def test_resume_twice_and_cancel(cast, ben):
    from collections import Counter
    c, d = Counter(), Counter()
    for k in range(10):
        start(ben, "zb-ask", 1, f"a{k}")
        out = []
        def go(path, body):
            out.append(req(ben, "POST", path, body)[0]); connections.close_all()
        ts = [threading.Thread(target=go, args=(f"/workflows/zb-ask/resume-async?runId=a{k}", {"resumeData": 1})) for _ in range(3)]
        [t.start() for t in ts]; [t.join() for t in ts]; c[tuple(sorted(out))] += 1
        start(ben, "zb-ask", 1, f"c{k}"); out = []
        ts = [threading.Thread(target=go, args=(f"/workflows/zb-ask/resume-async?runId=c{k}", {"resumeData": 1})), threading.Thread(target=go, args=(f"/workflows/zb-ask/runs/c{k}/cancel", None))]
        [t.start() for t in ts]; [t.join() for t in ts]; d[(tuple(sorted(out)), WorkflowRun.objects.get(tenant=cast.tenant, run_id=f"c{k}").status)] += 1
    P("resume x3", c, "\n resume|cancel", d)

def test_parallel_sleep(cast, ben):
    start(ben, "zb-parsleep", 1, "s"); run = WorkflowRun.objects.get(tenant=cast.tenant)
    take_up(run.pk); run.refresh_from_db(); P("after first take_up", run.status)
    take_up(run.pk); run.refresh_from_db()
    for r in WorkflowStep.objects.filter(run=run).order_by("position"): P("  ", r.path, r.status, r.started_at.time(), r.wake_at and r.wake_at.time(), r.ended_at and r.ended_at.time())

def test_pause(cast, ben):
    start(ben, "zb-pause", 1, "s"); run = WorkflowRun.objects.get(tenant=cast.tenant)
    t = threading.Thread(target=lambda: (take_up(run.pk), connections.close_all())); t.start(); time.sleep(0.5)
    P("pause asked", LEDGER.pause(run.pk)); t.join(); run.refresh_from_db(); P("status", run.status)

def test_foreach_10000(cast, ben):
    s = start(ben, "zb-each", list(range(10000)), "e")[0]; run = WorkflowRun.objects.get(tenant=cast.tenant)
    t=time.time()
    while run.status not in ("success","failed") and time.time()-t < 40:
        take_up(run.pk); run.refresh_from_db()
    P("foreach 10000", s, run.status, run.error, run.step_count, round(time.time()-t,1))

def test_nested_department(cast, ben):
    store(cast.tenant, "secret-inner", {"steps":[calls("echo", id="payroll", input={"$literal":"SALARY-SECRET"})]}, department=cast.support)
    store(cast.tenant, "outer", {"steps":[{"type":"workflow","id":"x","workflowId":"secret-inner"}]})
    P("direct", req(ben,"GET","/workflows/secret-inner")); P("outer", req(ben,"GET","/workflows/outer")[1][:600]); P("start", start(ben,"outer",1))
    w = store(cast.tenant, "inner-off", {"steps":[calls("echo")]}, enabled=False)
    store(cast.tenant, "outer2", {"steps":[{"type":"workflow","id":"x","workflowId":"inner-off"}]})
    P("disabled direct", start(ben,"inner-off",1)); P("disabled nested", start(ben,"outer2",1)[1][:120])

def test_rights_revoked_in_sleep(cast, ben):
    from ground.invalidation import announce
    for what in ("role", "department", "disabled"):
        w = store(cast.tenant, f"nap-{what}", {"steps":[{"type":"sleep","duration":200}, calls("echo")]})
        threading.Thread(target=lambda: (start(ben, w.slug, 1, "n"), connections.close_all())).start(); time.sleep(0.15)
        if what == "role":
            m = cast.ben.membership; m.role = cast.roles["viewer"]; m.save()
        if what == "department": Workflow.objects.filter(pk=w.pk).update(department=cast.support)
        if what == "disabled": Workflow.objects.filter(pk=w.pk).update(enabled=False)
        announce("rights", cast.tenant.pk); announce("surface", cast.tenant.pk); announce("credentials", cast.tenant.pk)
        time.sleep(0.3); run = WorkflowRun.objects.get(workflow=w); take_up(run.pk); run.refresh_from_db()
        P(what, "start now:", start(ben, w.slug, 1)[0], "the sleeping run:", run.status, run.error)
        m = cast.ben.membership; m.role = cast.roles["member"]; m.save(); announce("rights", cast.tenant.pk); announce("credentials", cast.tenant.pk)

def test_doors(cast, ben):
    w = store(cast.tenant, "mine", {"steps":[calls("echo")]}); store(cast.tenant, "other", {"steps":[calls("echo")]})
    start(ben,"mine",1,"d1")
    for allow, extra in ((["workflow_start"],{}),(["tool_calculator"],{}),(["workflow_run_get"],{}),(["tool_list"],{}),(["*"],{"read_only":True}),(["memory_save"],{}),(["workflow_mine"],{}),(["agent_list","execute_tool"],{})):
        try: k = cast.ben.issue(allow, **extra)
        except Exception as e: P(allow, "refused", type(e).__name__, getattr(e,'issues',e)); continue
        h = {"Authorization": f"Bearer {k}"}
        got = {}
        for m,p,b in (("GET","/workflows",None),("GET","/workflows/mine",None),("POST","/workflows/mine/start-async",{"inputData":1}),("POST","/workflows/other/start-async",{"inputData":1}),("POST","/workflows/mine/resume-async?runId=d1",{}),
                      ("GET","/workflows/mine/runs",None),("GET","/workflows/mine/run-counts",None),("GET","/workflows/mine/runs/d1",None),("GET","/workflows/mine/runs/d1/stream",None),("POST","/workflows/mine/runs/d1/cancel",None),
                      ("GET","/tools",None),("GET","/tools/calculator",None),("POST","/tools/calculator/execute",{"data":{"expression":"1"}}),("POST","/tools/current_time/execute",{"data":{}})):
            got[m[0]+p.replace("/workflows","W").replace("/tools","T")] = req(ben, m, p, b, headers=h)[0]
        P(allow, extra, got)

def test_stream_revoked(cast, ben):
    from workflows import streaming; from events.publishing import publish; from events.audience import Audience
    from credentials.authentication import resolve
    from credentials.models import ApiKey
    start(ben, "zb-ask", 1, "st"); run = WorkflowRun.objects.get(tenant=cast.tenant)
    text = cast.ben.issue(["*"]); principal = resolve(text); streaming.QUIET_SECONDS = 2
    gen = streaming.told(principal, "zb-ask", "st", None)
    def noise():
        for i in range(16):
            publish({"type":"workflow.step.started","at":"x","workflowId":"zb-ask","runId":"st","key":str(run.id),"status":"running","stepId":"s","path":f"p{i}"}, Audience(tenant_id=cast.tenant.id, user_id=cast.ben.user.id)); time.sleep(0.5)
            if i == 2:
                from django.utils import timezone
                ApiKey.objects.filter(lookup=principal.credential.id).update(**({"revoked_at": timezone.now()})); from ground.invalidation import announce; announce("credentials", cast.tenant.pk)
        connections.close_all()
    async def listen():
        heard=[]; t=time.time()
        threading.Thread(target=noise).start()
        try:
            async with asyncio.timeout(14):
                async for piece in gen: heard.append((round(time.time()-t,1), piece[-90:] if b"error" in piece else b"ok"))
        except TimeoutError: pass
        return heard
    h = asyncio.run(listen()); P("QUIET=2 s, key revoked at ~1.5 s; heard", h)

def test_narrow_key_events(cast, ben):
    from credentials.authentication import resolve; from events.audience import Audience
    ana = Runs(cast.ana)
    store(cast.tenant, "sup", {"steps":[calls("echo")]}, department=cast.support)
    bea = Runs(cast.bea); start(bea, "sup", 1, "q")
    for kw in ({"departments":[cast.sales], "narrowed": True}, {"departments":[cast.sales]}, {"departments":[cast.sales.id]}):
        try: k = cast.ana.issue(["*"], **kw); break
        except Exception as e: P("issue", kw, type(e).__name__, e)
    p = resolve(k); P("narrowed", p.credential.departments, "GET", req(ana,"GET","/workflows/sup/runs/q",headers={"Authorization":f"Bearer {k}"})[0], "event admitted", Audience(tenant_id=cast.tenant.id, user_id=cast.bea.user.id, permission="workflows:write").admits(p))

def test_calculator(cast, ben):
    for e in ("10^400","-10^999","0^0","1e-999","10^-500","9**9**9","1.0000001^99999999999999999999","ln(1e-1000)","exp(2000)","(1e999)*1","5//0.0","min("+",".join("1"*90)+")","tan(1e300)","1e22","2^64"):
        P(e, req(ben,"POST","/tools/calculator/execute",{"data":{"expression":e}}))
