import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {GatewayEvent} from '../../../source/core/events.ts';
import type {RunState} from '../../../source/core/run.ts';
import {panes} from '../../../source/tui/panes/panes.ts';
import {someAttacks} from '../../helpers/attack-corpus.ts';
import {createFakePort, type FakePort} from '../../helpers/fake-port.ts';
import {foreignSequences} from '../../helpers/foreign-sequences.ts';
import {
	groupChanged,
	makeDelivery,
	makeGroup,
	makeJob,
	makeRun,
	received,
	runChanged,
} from '../../helpers/make.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';
import {freshPicture, showShell, testNow} from '../../helpers/show-shell.tsx';

const wide = {columns: 120, rows: 36};
const codeHostRoute = {
	name: 'gh-review',
	profile: 'default',
	source: 'dynamic',
	description: '',
	events: ['push'],
	deliver: 'log',
	mode: 'agent',
	insecure: false,
} as const;

const narrow = {columns: 80, rows: 24};

const health = (overrides = {}): GatewayEvent => ({
	type: 'health-sampled',
	at: testNow,
	health: {
		loopDelayP99Ms: 6.2,
		rssBytes: 118e6,
		requestsPerSecond: 12.4,
		requestP95Ms: 41,
		...overrides,
	},
});

test('the status row names receiver, rate, success and time, and a profile that is not the default one', async () => {
	const port = createFakePort();
	port.emit(health(), received(makeDelivery()));
	await using shown = await showShell(port, wide);
	const rowOf = (left: string) => `${left.padEnd(112)}12:00:00`;
	expect(shown.screen.lines()[0]).toBe(rowOf('svc 1.0  ● :8644  12/s  ok 100%'));

	port.change({gateway: {...port.getState().gateway, profile: 'work'}});
	await shown.pass(100);
	expect(shown.screen.lines()[0]).toBe(rowOf('svc 1.0  ● :8644  12/s  ok 100%  work'));
});

test('fields drop from the right as width shrinks, "!" never drops', async () => {
	const port = createFakePort({
		runs: [makeRun({state: 'uncertain'})],
		problems: [{severity: 'error', file: 'a', line: 1, column: 1, key: 'x', message: 'y'}],
	});
	port.emit(health(), received(makeDelivery()));
	await using shown = await showShell(port, {columns: 60, rows: 16});

	expect(shown.screen.lines()[0]).toBe(
		'svc 1.0  ● :8644  12/s  ok 100%    ! config  1 run to decide',
	);
});

test('a selected row carries ">" in column 0 in every theme', async () => {
	for (const theme of ['dark', 'light', 'ansi16', 'mono'] as const) {
		const port = createFakePort();
		port.emit(received(makeDelivery()));
		// oxlint-disable-next-line no-await-in-loop -- one screen after the other
		await using shown = await showShell(port, narrow, {theme});
		expect(shown.screen.cell(4, 0).text).toBe('>');
	}
});

test('there are no vertical borders but one column between list and detail', async () => {
	const port = createFakePort();
	fill(port, 20);
	await using shown = await showShell(port, wide);
	const rows = shown.screen.lines().slice(3, -1);
	const column = rows[0]?.indexOf('│') ?? -1;

	expect(rows.map(row => row.slice(column - 1, column + 2))).toEqual(
		rows.map(() => expect.stringMatching(/^ │ ?$/)),
	);
	expect(shown.text().replaceAll('│', '')).toHaveLength(shown.text().length - rows.length);
	expect(shown.text()).not.toMatch(/[┃║|]/);
	await shown.screen.press('enter', 'z');
	expect(shown.text()).not.toMatch(/[│┃║|]/);
});

test('the offline model is named, with what changes it', async () => {
	const port = createFakePort({
		model: {provider: 'offline', name: 'svc-offline-1', origin: 'no model is configured'},
	});
	await using shown = await showShell(port, narrow);

	expect(shown.screen.lines()[2]).toBe(
		'! no language model (svc-offline-1) · set "model:" in config.yaml',
	);
	await shown.screen.press('H');
	expect(shown.text()).toContain('Set "model:" in /home/ann/.svc/config.yaml.');
});

test('a refused receiver is named with its reason, and r tries again', async () => {
	const port = createFakePort({
		webhook: {state: 'refused', code: 'EADDRINUSE', reason: 'port 8644 is in use', since: 0},
	});
	await using shown = await showShell(port, narrow);
	expect(shown.screen.lines()[2]).toBe(
		'✗ webhooks are not received: port 8644 is in use · r retry',
	);
	await shown.screen.press('r');
	await shown.pass(0);

	expect(port.calls).toEqual([{name: 'restartReceiver', args: []}]);
});

test('a chat API that cannot be served is named with its reason, in the status row too', async () => {
	const port = createFakePort({
		api: {state: 'refused', code: 'EADDRINUSE', reason: 'port 8643 is in use', since: 0},
	});
	await using shown = await showShell(port, narrow);
	expect(shown.screen.lines()[0]).toContain('! chat API refused');
	expect(shown.screen.lines()[2]).toBe('✗ the chat API is not served: port 8643 is in use');
});

test('a platform that has failed is named with its reason and the command that asks it, until it is back', async () => {
	const port = createFakePort({
		platforms: [
			{name: 'slack', state: 'failed', reason: 'invalid_auth', nextTry: testNow + 5000},
			{name: 'discord', state: 'failed', reason: 'lacks "bot_token"'},
			{name: 'telegram', state: 'connected'},
		],
	});
	await using shown = await showShell(port, narrow);
	expect(shown.screen.lines()[2]).toBe(
		'! slack (+1) has failed: invalid_auth · svc platforms test slack asks it now',
	);

	for (const name of ['slack', 'discord']) {
		port.emit({
			type: 'platform-changed',
			at: testNow,
			platform: {name, state: 'connected'},
		});
	}

	await shown.pass(1000);
	expect(shown.screen.lines()[2]).toContain('Traffic');
});

test('of a banner that does not fit what is wrong is cut, not what helps, and the frame stays as high as the terminal', async () => {
	const reason =
		'Cannot listen on 127.0.0.1:8644: another program has the port. Choose another one in config.yaml';
	const port = createFakePort({webhook: {state: 'refused', code: 'EADDRINUSE', reason, since: 0}});
	fill(port, 40);
	await using shown = await showShell(port, narrow);
	const lines = shown.screen.lines();

	expect(lines.slice(2, 4)).toEqual([
		'✗ webhooks are not received: Cannot listen on 127.0.0.1:8644: another… · r retry',
		expect.stringContaining('── Traffic ──'),
	]);
	expect(lines).toHaveLength(24);
	expect(lines.at(-1)).toContain('r retry the receiver');
	expect(lines[0]).toContain('svc 1.0');
});

test('a route that turned events away is named for ten minutes, with the key that keeps them, and the status row says so for an hour', async () => {
	const port = createFakePort({routes: [codeHostRoute]});
	port.emit(received(makeDelivery({outcome: 'rate', status: 429, receivedAt: testNow - 590_000})));
	await using shown = await showShell(port, {columns: 110, rows: 24});

	expect(shown.screen.lines()[2]).toMatch(
		/^! gh-review loses events above its rate_limit, the last at [\d:]+ · overflow: queue keeps them/,
	);
	expect(shown.screen.lines()[0]).toContain('! losing events');

	await shown.pass(20_000);
	expect(shown.screen.lines()[2]).not.toContain('loses events');
	expect(shown.screen.lines()[0]).toContain('! losing events');

	const later = createFakePort({routes: [codeHostRoute]});
	later.emit(
		received(makeDelivery({outcome: 'rate', status: 429, receivedAt: testNow - 3_590_000})),
	);
	await using hour = await showShell(later, {columns: 110, rows: 24});
	expect(hour.screen.lines()[0]).toContain('! losing events');
	await hour.pass(70_000);
	expect(hour.screen.lines()[0]).not.toContain('losing events');
});

test('a dynamic route that is not served as it is written is told of in every pane', async () => {
	const bad = {
		...codeHostRoute,
		name: 'hook',
		source: 'dynamic' as const,
		stale: 'subscriptions.json:39:7: "matches" is no operator',
	};
	const port = createFakePort({routes: [bad]});
	await using shown = await showShell(port, {columns: 100, rows: 24});
	expect(shown.screen.lines()[2]).toBe(
		'! route hook is served as it was: subscriptions.json:39:7: "matches" is no operator · see Routes',
	);
	port.emit({
		type: 'routes-changed',
		at: testNow,
		routes: [{...codeHostRoute, name: 'worse', source: 'dynamic', problem: 'it has no secret'}],
	});
	await shown.pass(150);
	expect(shown.screen.lines()[2]).toBe(
		'! route worse is not served: it has no secret · see Routes',
	);
});

test('the worst banner has one row, with the number of the others, which H tells whole', async () => {
	const long = 'word '.repeat(60).trim();
	const port = createFakePort({
		gateway: {...createFakePort().getState().gateway, reachable: false},
		webhook: {state: 'refused', code: 'EADDRINUSE', reason: long, since: 0},
		problems: [{severity: 'error', file: 'a', line: 1, column: 1, key: 'x', message: long}],
		modelProblem: long,
	});
	fill(port, 40);
	await using shown = await showShell(port, {columns: 70, rows: 30});

	expect(shown.screen.lines()[2]).toMatch(/^✗ gateway process .* · S starts one +\+3 in H$/);
	expect(shown.screen.lines()[3]).toMatch(/^── Traffic ── /);
	await shown.screen.press('H');
	for (const said of [
		'✗ configuration: a:1:1 x: word',
		'gateway      ✗ does not answer',
		'receiver     ✗ cannot listen',
		'model        ✗ cannot be used',
	]) {
		expect(shown.text()).toContain(said);
	}

	await shown.screen.press('H');
	await shown.resize({columns: 60, rows: 16});
	expect(shown.screen.lines()[2]).toBe(
		'✗ gateway process 4242 does not ans… · S starts one  +3 in H',
	);
	expect(shown.screen.lines()[3]).toMatch(/^── Traffic ── /);
	expect(shown.screen.lines()).toHaveLength(16);
	expect(shown.screen.lines().at(-1)).toContain('r retry the receiver');
});

test('the first configuration problem is named with file, line, column and key', async () => {
	const problem = (severity: 'error' | 'warning', line: number, message: string) => ({
		severity,
		file: '/home/ann/.svc/config.yaml',
		line,
		column: 3,
		key: 'x',
		message,
	});
	const port = createFakePort({
		problems: [problem('warning', 3, 'a warning'), problem('error', 14, 'Unknown key')],
	});
	await using shown = await showShell(port, wide);

	expect(shown.screen.lines()[2]).toBe(
		'✗ configuration: config.yaml:14:3 x: Unknown key · svc config check names all 2',
	);
});

test('a model that costs money is used only after a person agreed', async () => {
	const port = createFakePort({
		modelOffer: {provider: 'openai', name: 'gpt-x', origin: 'OPENAI_API_KEY is set'},
	});
	await using shown = await showShell(port, wide);
	expect(shown.screen.lines()[2]).toContain('costs money · M use it');
	await shown.screen.press('M', 'enter');
	expect(port.calls).toEqual([]);
	await shown.screen.press('y');
	await shown.pass(0);

	expect(port.calls).toEqual([{name: 'useModel', args: ['openai']}]);
});

test('what a lost gateway last said is called stale', async () => {
	const port = createFakePort({}, {embedded: false});
	port.emit(health());
	await using shown = await showShell(port, wide);
	await shown.pass(6000);
	expect(shown.screen.lines()[0]).toContain('stale 6 s');

	const {gateway} = port.getState();
	port.change({gateway: {...gateway, reachable: false}});
	await shown.pass(100);
	expect(shown.screen.lines()[2]).toContain('does not answer · all of this is old · S starts one');
});

test('what a face could not read of its gateway stands above every pane', async () => {
	const port = createFakePort({}, {embedded: false});
	await using shown = await showShell(port, wide);
	port.emit({type: 'message-skipped', at: 1, reason: 'its 7 characters are no JSON'});
	await shown.pass(100);
	expect(shown.screen.lines()[2]).toContain(
		'! something that the gateway said cannot be read (its 7 characters are no JSON)',
	);
});

test.for(panes.map(({id}) => id))('the pane %s says why it is empty and what helps', async pane => {
	await using shown = await showShell(createFakePort(), narrow, {pane});

	expect(shown.screen.lines()[4]).toMatch(/^ {2}\S.*[.…a-z]$/);
	expect(shown.screen.lines().slice(5, 9).join('').trim()).not.toBe('');
});

test('a pane that cannot be drawn says so, and the others work on', async () => {
	const port = createFakePort({deliveries: [null as never]});
	await using shown = await showShell(port, wide);
	expect(shown.text()).toContain('✗ This pane could not be drawn');
	expect(shown.screen.lines()[1]).toContain('[1 Traffic]');
	await shown.screen.press('j', 'y', '7');
	expect(shown.text()).toContain('No runs yet.');

	port.change({deliveries: []});
	await shown.pass(100);
	await shown.screen.press('1');
	expect(shown.text()).toContain('No deliveries yet');
});

test.for([60, 80, 100, 120, 200])(
	'at %d columns every footer fits, with the ways out',
	async columns => {
		const port = createFakePort({
			groups: [makeGroup()],
			jobs: [makeJob()],
			runs: [makeRun({state: 'failed'})],
		});
		fill(port, 3);
		await using shown = await showShell(port, {columns, rows: 24});
		for (const key of ['1', '2', 'tab', 'enter', '3', '5', '7', 'enter', '8']) {
			// oxlint-disable-next-line no-await-in-loop -- one screen after the other
			await shown.screen.press(key);
			const footer = shown.said() ?? '';
			expect(footer).toMatch(/ \? help {2}: palette {2}q quit ?$/);
			expect(footer.length).toBeLessThanOrEqual(columns);
		}
	},
);

test('under 60×16 there is one line', async () => {
	await using shown = await showShell(createFakePort(), {columns: 52, rows: 14});

	expect(shown.text().trim()).toBe('terminal too small (52×14, need 60×16)');
	await shown.resize(narrow);
	expect(shown.screen.lines()[1]).toContain('[1Traf]');
});

const states: readonly RunState[] = ['queued', 'running', 'done', 'failed', 'uncertain', 'dead'];

/** Makes `count` deliveries with runs and log lines happen. */
function fill(port: FakePort, count: number): void {
	for (let index = 0; index < count; index += 1) {
		const delivery = makeDelivery({receivedAt: testNow + index, runId: index + 1});
		port.emit(
			received(delivery),
			groupChanged(makeGroup({id: index % 7, count: index, key: `key ${index}`, lastAt: testNow})),
			runChanged(
				makeRun({
					id: index + 1,
					delivery: delivery.id,
					state: states[index % states.length] ?? 'done',
				}),
			),
			{
				type: 'log-written',
				at: testNow,
				record: {at: testNow, level: 'info', source: 'webhook', message: `n ${index}`, fields: {}},
			},
		);
	}
}

const keys = fc.constantFrom(
	...'1 2 5 7 8 j k g G pgup pgdn enter esc tab z ? : / a f space y q n'.split(' '),
	...'ctrl+k ctrl+u down r x t W d o b p s S up'.split(' '),
);

test('whatever is pressed and whatever comes, the frame has exactly as many rows as the terminal and equals a fresh one', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(
				fc.oneof(
					keys.map(key => ({key})),
					fc.nat(4).map(events => ({events: events + 1})),
					fc
						.tuple(fc.integer({min: 60, max: 140}), fc.integer({min: 16, max: 45}))
						.map(([columns, rows]) => ({size: {columns, rows}})),
				),
				{minLength: 5, maxLength: 30},
			),
			async steps => {
				const port = createFakePort();
				port.change({jobs: [makeJob(), makeJob({id: 'job_other000', state: 'paused'})]});
				fill(port, 30);
				await using shown = await showShell(port, narrow);
				for (const step of steps) {
					if ('key' in step) {
						// oxlint-disable-next-line no-await-in-loop -- one step after the other
						await shown.screen.press(step.key);
					} else if ('events' in step) {
						fill(port, step.events);
						// oxlint-disable-next-line no-await-in-loop -- one step after the other
						await shown.pass(100);
					} else {
						// oxlint-disable-next-line no-await-in-loop -- one step after the other
						await shown.resize(step.size);
					}
				}

				await shown.pass(0);
				expect(shown.screen.picture()).toBe(await freshPicture(shown));
				expect(foreignSequences(shown.screen.written())).toEqual([]);
			},
		),
		{numRuns: propertyRuns(16)},
	);
});

test('twenty sizes within a second: every frame is whole, and the last one is a fresh one', async () => {
	const port = createFakePort();
	fill(port, 30);
	await using shown = await showShell(port, narrow);
	for (let step = 0; step < 20; step += 1) {
		fill(port, 2);
		// oxlint-disable-next-line no-await-in-loop -- one size after the other
		await shown.resize({columns: 60 + ((step * 37) % 90), rows: 16 + ((step * 11) % 25)});
		// oxlint-disable-next-line no-await-in-loop -- as above
		await shown.pass(50);
	}

	expect(shown.screen.picture()).toBe(await freshPicture(shown));

	// A terminal shows each frame at once: nothing is written outside of a begin and its end.
	const written = shown.screen.written();
	const frames = written.split('\u001B[?2026h').slice(1);
	expect(frames.length).toBeGreaterThan(20);
	expect(frames.filter(frame => !frame.includes('\u001B[?2026l'))).toEqual([]);
	expect(foreignSequences(written)).toEqual([]);
});

test('hostile text in every field never reaches the screen as control', async () => {
	const port = createFakePort();
	await using shown = await showShell(port, wide);
	const attacks = someAttacks();
	for (const [index, attack] of attacks.entries()) {
		const text = attack.slice(0, 300);
		const delivery = makeDelivery({
			route: text,
			event: text,
			deliveryId: text,
			idSource: text,
			runId: index + 1,
			trace: [{step: 'filter', verdict: 'stop', detail: text}],
		});
		port.deliveries.set(delivery.id, {
			...delivery,
			headers: {},
			body: new TextEncoder().encode(text),
		});
		const place = {file: text, line: 1, column: 1, key: text, message: text};
		port.emit(
			received(delivery),
			runChanged(
				makeRun({
					id: index + 1,
					state: 'failed',
					route: text,
					event: text,
					target: text,
					error: text,
					answer: text,
					model: text,
				}),
			),
			{
				type: 'log-written',
				at: 0,
				record: {at: 0, level: 'error', source: text, message: text, fields: {[text]: text}},
			},
			{type: 'webhook-refused', at: 0, code: text, reason: text},
			{type: 'config-rejected', at: 0, problems: [{severity: 'error', ...place}]},
			{type: 'model-selected', at: 0, model: {provider: 'offline', name: text, origin: text}},
			{
				type: 'routes-changed',
				at: 0,
				routes: [
					{
						name: text,
						profile: text,
						source: 'dynamic',
						description: text,
						events: [text],
						deliver: text,
						mode: 'agent',
						problem: text,
						insecure: true,
					},
				],
			},
		);
		// A screen shows thirty rows: every attack is seen.
		if (index % 24 === 23 || index === attacks.length - 1) {
			for (const key of ['1', '5', '7', '8', ':']) {
				// oxlint-disable-next-line no-await-in-loop -- one screen after the other
				await shown.screen.press(key);
				// oxlint-disable-next-line no-await-in-loop -- one screen after the other
				await shown.pass(200);
			}

			// oxlint-disable-next-line no-await-in-loop -- one screen after the other
			await shown.screen.press('esc');
		}
	}

	expect(foreignSequences(shown.screen.written())).toEqual([]);
	expect(shown.screen.picture()).toBe(await freshPicture(shown));
});
