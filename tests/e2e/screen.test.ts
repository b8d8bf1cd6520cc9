// @module-tag slow
import {stat} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {command} from '../cli/command.ts';
import {gatewayHome, startTestGateway, testConfig} from '../helpers/gateway.ts';
import {post} from '../helpers/post.ts';
import {openPty, type Pty, type PtyOptions} from '../helpers/pty.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';
import {startSvc, svc, svcCommand, svcEnvironment} from '../helpers/svc.ts';
import {temporaryHome, type TemporaryHome} from '../helpers/temporary-home.ts';

const [node, script] = svcCommand;

const open = (home: TemporaryHome, size: Pick<PtyOptions, 'columns' | 'rows'> = {}): Pty =>
	openPty(node, [script], {...size, env: svcEnvironment({home: home.path})});

/** Whether the terminal is as it was before: the program left the alternate screen, shows the cursor and takes pastes plain. */
const isClean = (pty: Pty) => {
	const written = pty.written();
	return (
		!pty.isAlternateScreen() &&
		!pty.isBracketedPaste() &&
		written.lastIndexOf('\u001B[?25h') > written.lastIndexOf('\u001B[?25l')
	);
};

const leave = async (pty: Pty) => {
	pty.press('q');
	await pty.waitForText('Quit?');
	pty.press('q');
	return pty.exited;
};

/** How an interface ends that is ended by a signal, or from outside. */
const endedBy = async (pty: Pty, end: () => unknown) => {
	await end();
	const exit = await pty.exited;
	return {...exit, isClean: isClean(pty), complains: pty.lines().join('\n').includes('svc: ')};
};

const wellEnded = {exitCode: 0, signal: 0, isClean: true, complains: false};

/** Where the gateway of the home listens. */
const urlOf = async (home: TemporaryHome) => {
	const {stdout} = await command(['gateway', 'status', '--json'], {home: home.path});
	return JSON.parse(stdout).webhook.url;
};

test('at 80 × 24: the card of the first run, a test event, its delivery, its run, its answer, its log line, and out', async () => {
	await using home = await temporaryHome();
	await using pty = open(home, {columns: 80, rows: 24});
	await pty.waitForText('Welcome to svc');
	expect((await stat(home.file('config.yaml'))).mode & 0o777).toBe(0o600);
	// The port that the first run takes may be taken on this machine: then this makes it a free one.
	const config = await home.read('config.yaml');
	await home.write('config.yaml', config.replace('# port: 8644', 'port: 0'));
	await pty.waitForText(/● :\d+/);

	pty.press('T');
	await pty.waitForText('Answered 202 accepted');
	await pty.waitForText(/github .*202 /);
	pty.press('7');
	await pty.waitForText(/\[7 ?Runs/);
	await pty.waitForText(/github .* ✓ /);
	pty.press('enter');
	await pty.waitForText('[svc-offline: no language');
	pty.press('8');
	await pty.waitForText(/delivery .*acme\/api#7 .*: \[svc-offline/);

	expect(await leave(pty)).toEqual({exitCode: 0, signal: 0});
	expect(isClean(pty)).toBe(true);
	expect(pty.lines().filter(line => line !== '')).toEqual(['The gateway ends']);
	expect(pty.foreign()).toEqual([]);
	const secret = JSON.parse(await home.read('webhook_subscriptions.json')).github.secret;
	expect(pty.written()).not.toContain(secret);
});

test('the second start has no card and shows what happened before', async () => {
	await using model = await startScriptedModel([{text: 'Alex pushed to main'}]);
	await using home = await gatewayHome({
		config: {model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl}},
		subscriptions: {hook: {prompt: 'Say hello'}},
	});
	{
		await using first = await startTestGateway({home});
		await first.send('hook', {});
		await first.until(({runs}) => runs.some(({state}) => state === 'done'));
	}

	await using second = open(home);
	await second.waitForText(/hook .*push .*202 accepted/);
	expect(second.lines().join('\n')).not.toContain('Welcome to svc');
	second.press('7');
	await second.waitForText(/hook .*push .* ✓ /);
	second.press('enter');
	await second.waitForText('Alex pushed to main');
	expect((await leave(second)).exitCode).toBe(0);
	expect(model.requests).toHaveLength(1);
});

test('"when a gateway of this home already runs, it attaches": the same rows, and the gateway goes on', async () => {
	await using home = await gatewayHome({subscriptions: {hook: {prompt: 'Say hello'}}});
	await using gateway = startSvc(['gateway', 'run'], {home: home.path});
	const [, url = ''] = await gateway.waitFor(/Listening on (\S+)/);
	await post(`${url}/webhooks/hook`, {payload: {}, headers: {'x-github-event': 'before'}});
	await gateway.waitFor(/Answer of route "hook"/);
	await using pty = open(home);
	await pty.waitForText(/hook .*before .*202 accepted/);
	await post(`${url}/webhooks/hook`, {payload: {}, headers: {'x-github-event': 'after'}});
	await pty.waitForText(/hook .*after .*202 accepted/);
	expect((await command(['gateway', 'stop'], {home: home.path})).code).toBe(0);
	await pty.waitForText('S starts one');
	await using _ = {
		[Symbol.asyncDispose]: async () => {
			await command(['gateway', 'stop'], {home: home.path});
		},
	};
	pty.press('S');
	await pty.waitForText('Starting a gateway');
	await pty.waitFor(lines => !lines.join('\n').includes('S starts one'));
	pty.press('q');
	await pty.waitForText('The gateway goes on');
	pty.press('q');
	expect((await pty.exited).exitCode).toBe(0);
	expect(isClean(pty)).toBe(true);
	expect(pty.lines().join('\n')).toContain('The gateway goes on');
	expect((await command(['gateway', 'status'], {home: home.path})).code).toBe(0);
});

test('a subscription that another process makes appears at once; SIGTERM leaves the terminal as it was', async () => {
	await using home = await gatewayHome();
	await using pty = open(home);
	await pty.waitForText(/● :\d+/);
	pty.press('5');
	await pty.waitForText('[5 Routes');
	await svc(['webhook', 'subscribe', 'fresh', '--events', 'release'], {home: home.path});
	await pty.waitForText(/fresh .*release/);
	await command(['webhook', 'remove', 'fresh'], {home: home.path});
	await pty.waitFor(lines => !lines.some(line => /fresh .*release/.test(line)));
	expect(await endedBy(pty, () => pty.kill('SIGTERM'))).toEqual(wellEnded);
	expect((await command(['gateway', 'status'], {home: home.path})).code).toBe(1);
});

test('a configuration that is broken is said with its place, and mended while it runs; SIGINT leaves the terminal as it was', async () => {
	await using home = await gatewayHome({config: 'model:\n  provider: offline\n   x: 1\n'});
	await using pty = open(home);
	await pty.waitForText(/config\.yaml:2/);
	await home.write('config.yaml', testConfig());
	await pty.waitForText(/● :\d+/);
	await pty.waitFor(lines => !lines.some(line => line.includes('config.yaml:2')));
	await home.write('config.yaml', testConfig({runs: {concurrency: 'lots'}}));
	await pty.waitForText('runs.concurrency');
	expect(await endedBy(pty, () => pty.kill('SIGINT'))).toEqual(wellEnded);
});

test('what cannot start says why on a clean terminal', async () => {
	await using home = await gatewayHome();
	await home.write('state.db', 'this is no database\n'.repeat(1000));
	await using pty = open(home);
	expect((await pty.exited).exitCode).toBe(1);
	expect(isClean(pty)).toBe(true);
	expect(pty.lines().join('')).toContain('(store_unreadable)');
});

test('strangers cannot write to the terminal; "svc gateway stop" from outside ends the interface, too, and leaves it as it was', async () => {
	const nasty = '\u001B]0;pwned\u0007\u001B[2J\u001B[31mred\u009B2J\u202Egpj.exe';
	await using model = await startScriptedModel([{text: `Answer ${nasty}`}]);
	await using home = await gatewayHome({
		config: {model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl}},
		subscriptions: {hook: {prompt: 'Say {title}'}},
	});
	await using pty = open(home);
	await pty.waitForText(/● :\d+/);
	await post(`${await urlOf(home)}/webhooks/hook`, {
		payload: {title: `Title ${nasty}`},
		headers: {'x-github-delivery': 'id'},
	});
	await pty.waitForText(/hook .*push .*202 accepted/);
	await pty.waitForText(/␛\]0;pwned␇.*gpj\.exe/);
	pty.press('7', 'enter');
	await pty.waitForText('[7 Runs');
	pty.press('8');
	await pty.waitForText(/Title ␛\]0;pwned␇.*: Answer ␛\]0;pwned␇/);

	const stop = async () => command(['gateway', 'stop'], {home: home.path});
	expect(await endedBy(pty, stop)).toEqual(wellEnded);
	expect(pty.written()).not.toContain('pwned\u0007');
	expect(pty.written()).not.toContain('\u202E');
	expect(pty.foreign()).toEqual([]);
});
