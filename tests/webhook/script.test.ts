// @module-tag slow
import {existsSync} from 'node:fs';
import {chmod, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {judgeScript} from '../../source/webhook/script-step.ts';
import {createScripts} from '../../source/webhook/script.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {need} from '../helpers/need.ts';
import {isGone, readWhenThere, until} from '../helpers/processes.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {makeRoute, startReceiver} from './start-receiver.ts';
import type {TestReceiver} from './start-receiver.ts';

const ignored = {status: 'ignored', reason: 'script', route: 'hook'};

const withScript = async (source: string, name = 'filter.sh') => {
	const receiver = await startReceiver({
		routes: [makeRoute({script: name, prompt: '{__raw__}'})],
		environment: {PATH: process.env['PATH'] ?? '', HOME: '/home/x', API_KEY: 'hidden'},
	});
	await writeFile(join(receiver.scripts, name), source);
	return receiver;
};

const promptOf = async (receiver: TestReceiver) => {
	const run = await receiver.store.runs.get(receiver.woken.at(-1) ?? 0);
	return run?.plan.prompt;
};

test.for([
	['a.sh', 'bash', '[[ -n $BASH_VERSION ]] && echo \'{"by":"bash"}\''],
	['a.bash', 'bash', '[[ -n $BASH_VERSION ]] && echo \'{"by":"bash"}\''],
	['a.py', 'python3', 'print(\'{"by": "python3"}\')'],
	['a', 'python3', 'import json; print(json.dumps({"by": "python3"}))'],
] as const)(
	'`.sh` and `.bash` run with bash, any other extension with Python: %s',
	async ([name, by, source], context) => {
		need(by, context);
		await using receiver = await withScript(source, name);
		expect((await receiver.post({})).status).toBe(202);
		expect(JSON.parse((await promptOf(receiver)) ?? '')).toEqual({by});
	},
);

test('input: the route payload as JSON on stdin', async () => {
	await using receiver = await withScript('cat');
	await receiver.post('{"big": 12345678901234567890, "a": [1]}');
	expect(await promptOf(receiver)).toBe(
		'{\n  "big": 12345678901234567000,\n  "a": [\n    1\n  ]\n}',
	);
	await receiver.post('a=1&b=2', {'Content-Type': 'application/x-www-form-urlencoded'});
	expect(await promptOf(receiver)).toBe('{\n  "a": "1",\n  "b": "2"\n}');
});

test('a form whose payload is nested 50,000 levels deep reaches the script as text', async () => {
	await using receiver = await withScript('cat');
	const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
	const answer = await receiver.post(`payload=${encodeURIComponent(deep)}`, {
		'Content-Type': 'application/x-www-form-urlencoded',
	});
	expect([answer.status, answer.json['status']]).toEqual([202, 'accepted']);
	const prompt = await promptOf(receiver);
	expect(prompt).toBe(JSON.stringify({payload: deep}, null, 2).slice(0, 4000));
});

test('JSON object on stdout replaces the payload used by `prompt` and `deliver_extra`', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({script: 's.sh', prompt: '{a}', deliverExtra: {chat_id: '{a}'}})],
	});
	await writeFile(join(receiver.scripts, 's.sh'), 'echo \'{"a": "new"}\'');
	await receiver.post({a: 'old'});
	const run = await receiver.store.runs.get(receiver.woken[0] ?? 0);
	expect(run?.plan).toMatchObject({prompt: 'new', target: {extra: {chat_id: 'new'}}});
	expect(receiver.step('script')).toBe('s.sh replaced the payload');
});

test('`{}` replaces the payload by `{}`', async () => {
	await using receiver = await withScript('echo {}');
	await receiver.post({a: 1});
	expect(await promptOf(receiver)).toBe('{}');
});

test('non-JSON text on stdout is added to the payload as `script_output`', async () => {
	await using receiver = await withScript('echo "two words"; echo');
	await receiver.post({a: 1});
	expect(JSON.parse((await promptOf(receiver)) ?? '')).toEqual({a: 1, script_output: 'two words'});
	await receiver.post([1]);
	expect(JSON.parse((await promptOf(receiver)) ?? '')).toEqual({
		payload: [1],
		script_output: 'two words',
	});
});

test.for([
	['empty stdout', 'true', 'printed nothing'],
	['white space', 'echo; echo " "', 'printed nothing'],
	['the exact text `[SILENT]`', 'echo "[SILENT]"', 'printed [SILENT]'],
	['`__svc_ignore__` = true', 'echo \'{"__svc_ignore__": true}\'', 'printed __svc_ignore__'],
	['a nonzero exit code', 'echo \'{"a": 1}\'; echo oops >&2; exit 3', 'exit code 3: oops'],
	['a signal', 'kill -9 $$', 'ended by a signal'],
	['a JSON scalar is a failure', 'echo 5', 'printed JSON that is no object'],
	['a JSON array is a failure', 'echo "[1]"', 'printed JSON that is no object'],
] as const)('200 `ignored`, `reason` = `script`: %s', async ([, source, detail]) => {
	await using receiver = await withScript(source);
	const answer = await receiver.post({a: 1});
	expect([answer.status, answer.json]).toEqual([200, ignored]);
	expect(receiver.step('script')).toBe(`filter.sh ${detail}`);
	expect(receiver.woken).toEqual([]);
});

test('`__svc_ignore__` counts only when it is true', async () => {
	await using receiver = await withScript('echo \'{"__svc_ignore__": "true"}\'');
	expect((await receiver.post({})).status).toBe(202);
});

test('a missing script: ignored; traversal outside is blocked, links followed', async () => {
	await using receiver = await withScript('echo {}');
	await writeFile(join(receiver.home, 'outside.sh'), 'echo {}');
	await symlink(join(receiver.home, 'outside.sh'), join(receiver.scripts, 'link.sh'));
	for (const script of [
		'none.sh',
		'../outside.sh',
		'link.sh',
		join(receiver.home, 'outside.sh'),
		'.',
		'',
	]) {
		receiver.setRoutes(makeRoute({script}));
		expect([script, (await receiver.post({})).json]).toEqual([script, ignored]);
		expect(receiver.step('script')).toBe(`${script} no such script in the scripts folder`);
	}

	receiver.setRoutes(makeRoute({script: join(receiver.scripts, 'filter.sh')}));
	expect((await receiver.post({})).status).toBe(202);
});

test('environment without secrets plus `SVC_WEBHOOK_EVENT_TYPE`, `SVC_WEBHOOK_DELIVERY_ID`', async () => {
	await using receiver = await withScript('env -0 | sort -z | tr "\\0" "\\n"; echo end');
	await receiver.post({}, {'X-Forge-Event': 'push', 'X-Forge-Delivery': 'd-1'});
	const output = (JSON.parse((await promptOf(receiver)) ?? '') as {script_output: string})
		.script_output;
	expect(output).toContain('SVC_WEBHOOK_EVENT_TYPE=push\n');
	expect(output).toContain('SVC_WEBHOOK_DELIVERY_ID=d-1\n');
	expect(output).toContain('HOME=/home/x\n');
	expect(output).not.toContain('hidden');
	expect(output.split('\n').map(line => line.split('=')[0])).toEqual(
		expect.not.arrayContaining(['NODE_ENV', 'API_KEY']),
	);
});

test('an event type that no environment can hold does not break the script', async () => {
	await using receiver = await withScript('echo {}');
	expect((await receiver.post({event_type: 'a\u0000b'})).status).toBe(202);
});

test('a timeout: ignored, and the whole process group is killed', async () => {
	await using receiver = await withScript(
		'sleep 1000 & echo $! > "$PWD/child"; mv child pid; wait',
	);
	const answer = receiver.post({});
	const pid = Number(await readWhenThere(join(receiver.scripts, 'pid')));
	receiver.clock.advance(29_999);
	expect(isGone(pid)).toBe(false);
	receiver.clock.advance(1);
	expect((await answer).json).toEqual(ignored);
	expect(receiver.step('script')).toBe('filter.sh killed after 30 s');
	await until(() => isGone(pid));
});

test('output is capped at 1 MiB', async () => {
	await using receiver = await withScript('yes');
	expect((await receiver.post({})).json).toEqual(ignored);
	expect(receiver.step('script')).toBe('filter.sh killed after 1048576 bytes of output');
});

test('a script that leaves a process behind does not hold its request', async () => {
	await using receiver = await withScript('sleep 1000 & echo $!');
	expect((await receiver.post({})).json['status']).toBe('ignored');
	await using text = await withScript('sleep 1000 & echo "pid $!"');
	expect((await text.post({})).status).toBe(202);
	const output = (JSON.parse((await promptOf(text)) ?? '') as {script_output: string})
		.script_output;
	await until(() => isGone(Number(output.replace('pid ', ''))));
});

test('a script need not read its input', async () => {
	await using receiver = await withScript('exec 0<&-; echo {}');
	expect((await receiver.post({a: 'x'.repeat(900_000)})).status).toBe(202);
});

test('`retry_on_script_failure: true` answers 503 with `Retry-After` for failures, not for an explicit ignore', async () => {
	await using receiver = await withScript('exit 1');
	await writeFile(join(receiver.scripts, 'silent.sh'), 'echo "[SILENT]"');
	receiver.setRoutes(makeRoute({script: 'filter.sh', retryOnScriptFailure: true}));
	const answer = await receiver.post({});
	expect([answer.status, answer.json]).toEqual([503, {error: 'Script failed'}]);
	expect(answer.headers['retry-after']).toBe('30');
	expect(receiver.last().outcome).toBe('script');

	receiver.setRoutes(makeRoute({script: 'silent.sh', retryOnScriptFailure: true}));
	expect((await receiver.post({})).json).toEqual(ignored);
});

test('at most 8 scripts at once; the rest wait', async () => {
	await using receiver = await withScript(
		'touch "started-$SVC_WEBHOOK_DELIVERY_ID"; until [ -e go ]; do sleep 0.02; done; echo {}',
	);
	const answers = Array.from({length: 9}, async (_, index) =>
		receiver.post({}, {'X-Forge-Delivery': String(index)}),
	);
	for (let index = 0; index < 8; index++) {
		await until(() => existsSync(join(receiver.scripts, `started-${index}`)));
	}

	expect(existsSync(join(receiver.scripts, 'started-8'))).toBe(false);
	await writeFile(join(receiver.scripts, 'go'), '');
	expect((await Promise.all(answers)).map(({status}) => status)).toEqual(Array(9).fill(202));
});

test('30 s (`script_timeout_seconds`) are for the wait in line and the work together', async () => {
	await using home = await temporaryHome();
	const clock = createFakeClock();
	const stopping = new AbortController();
	const scripts = createScripts({
		clock,
		environment: () => ({PATH: process.env['PATH'] ?? ''}),
	});
	await writeFile(
		join(home.path, 'wait.sh'),
		'id=$SVC_WEBHOOK_DELIVERY_ID; touch "up-$id"; until [ -e "go-$id" ]; do sleep 0.02; done',
	);
	const run = async (deliveryId: string, timeoutMs: number) =>
		scripts.run(
			{script: 'wait.sh', folder: home.path, timeoutMs, input: '', event: 'x', deliveryId},
			stopping.signal,
		);

	const first = run('first', 100_000);
	const others = Array.from({length: 7}, async (_, index) => run(`${index}`, 100_000));
	const late = run('late', 30_000);
	await until(() => existsSync(join(home.path, 'up-first')));
	clock.advance(20_000);
	await writeFile(join(home.path, 'go-first'), '');
	await first;
	await until(() => existsSync(join(home.path, 'up-late')));
	clock.advance(10_000);
	const exit = await late;
	expect(exit).toEqual({kind: 'timeout', afterMs: 10_000, waitedMs: 20_000});
	expect(exit.kind !== 'busy' && judgeScript(exit, {})).toEqual({
		kind: 'failed',
		detail: 'killed after 10 s (and 20 s in line)',
	});

	const ninth = run('ninth', 100_000);
	const [last, none] = [run('last', 100_000), run('none', 1000)];
	clock.advance(1000);
	expect(await none).toEqual({kind: 'busy'});
	stopping.abort();
	expect(await last).toEqual({kind: 'stopped'});
	expect(existsSync(join(home.path, 'up-last'))).toBe(false);
	await Promise.all([ninth, ...others]);
});

test('a script in the way of the shutdown is killed and its sender asked to come again', async () => {
	const receiver = await withScript('touch up; exec sleep 1000');
	const answer = receiver.post({}).catch(() => 'cut');
	await until(() => existsSync(join(receiver.scripts, 'up')));
	const closing = receiver.receiver.close();
	// The drain is over, and what was killed for it has yet to end.
	receiver.clock.advance(6000);
	await until(() => receiver.deliveries.length > 0);
	expect(receiver.last().outcome).toBe('stopping');
	await answer;
	await closing;
	await receiver[Symbol.asyncDispose]();
});

test('a script does not have to be executable', async () => {
	await using receiver = await withScript('echo {}');
	await chmod(join(receiver.scripts, 'filter.sh'), 0o600);
	expect((await receiver.post({})).status).toBe(202);
});

test('the verdict of a process that could not be started is a failure', () => {
	expect(judgeScript({kind: 'not-started', reason: 'ENOENT'}, {})).toEqual({
		kind: 'failed',
		detail: 'did not start: ENOENT',
	});
});
