import {readFile, stat} from 'node:fs/promises';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {version} from '../../source/core/program.ts';
import {resetSequence} from '../../source/terminal/modes.ts';
import {paneNames} from '../../source/tui/snapshot/take-snapshot.ts';
import {setColorLevel} from '../helpers/color-level.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {foreignSequences} from '../helpers/foreign-sequences.ts';
import {makeToolApproval} from '../helpers/make-approval.ts';
import {makeDelivery, makeRun} from '../helpers/make.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {command, serveControl} from './command.ts';

// The command asks for colours in the environment of its process, which here is that of all tests.
const variables = ['FORCE_COLOR', 'COLORTERM'];
let before: Array<readonly [string, string | undefined]>;

beforeEach(async () => {
	before = variables.map(name => [name, process.env[name]] as const);
	await setColorLevel(3);
});

afterEach(() => {
	for (const [name, value] of before) {
		if (value === undefined) {
			delete process.env[name];
		} else {
			process.env[name] = value;
		}
	}
});

/** A gateway with two deliveries, of which one has a payload, and a call that waits. */
function busyPort() {
	const deliveries = [
		makeDelivery({id: 'aaa111', route: 'gh-review', subject: 'Fix the parser'}),
		makeDelivery({id: 'bbb222', route: 'payments', event: 'invoice.paid'}),
	];
	const {gateway} = createFakePort().getState();
	const port = createFakePort({
		gateway: {...gateway, version},
		deliveries: deliveries.map(delivery => ({
			key: delivery.id,
			delivery,
			count: 1,
		})),
		runs: [makeRun({id: 7, state: 'running'})],
		approvals: [makeToolApproval()],
	});
	for (const delivery of deliveries) {
		port.deliveries.set(delivery.id, {
			...delivery,
			headers: {},
			body: new TextEncoder().encode(
				'{"mark": "of the payload", "evil": "\\u001b]52;c;YQ==\\u0007"}',
			),
		});
	}

	return port;
}

test('a pane of the running gateway is printed as text, with what its keys load', async () => {
	await using home = await temporaryHome();
	await using _ = await serveControl(home.path, busyPort());

	const {code, stdout, stderr} = await command(
		['tui', 'snapshot', '--cols', '110', '--rows', '30', '--keys', 'k'],
		{home: home.path},
	);
	const rows = stdout.split('\n');
	expect({code, stderr, end: rows.pop()}).toEqual({code: 0, stderr: '', end: ''});
	expect(rows).toHaveLength(30);
	expect(rows.find(row => row.startsWith('>'))).toContain('Fix the parser');
	expect(stdout).toContain('mark: "of the payload"');
	expect(stdout).toContain(String.raw`\u001b]52`);
	// oxlint-disable-next-line no-control-regex -- without --color there is no sequence
	expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
});

test('a pane is named by its number, its list is filtered, and colours are asked for', async () => {
	await using home = await temporaryHome();
	await using _ = await serveControl(home.path, busyPort());

	const {stdout} = await command(
		['tui', 'snapshot', '--pane', '1', '--filter', 'route:payments', '--color'],
		{home: home.path},
	);
	expect(stdout).toContain('\u001B[38;5;');
	expect(foreignSequences(stdout)).toEqual([]);
	expect(stdout).toContain('payments');
	expect(stdout).not.toContain('Fix the parser');
});

test('each pane has the number that opens it on the screen, and the manual names it', async () => {
	await using home = await temporaryHome();
	await using _ = await serveControl(home.path, busyPort());

	const {stdout} = await command(['tui', 'snapshot', '--pane', '0'], {home: home.path});
	expect(stdout).toContain('[0 Chat]');
	const manual = await readFile('source/manual/snapshot.md', 'utf8');
	expect(paneNames.filter(({id}) => !manual.includes(`\`${id}\``))).toEqual([]);
});

test('whatever is pressed, a snapshot changes nothing', async () => {
	await using home = await temporaryHome();
	const port = busyPort();
	await using _ = await serveControl(home.path, port);

	const {code, stdout} = await command(
		['tui', 'snapshot', '--pane', 'runs', '--keys', 'x y enter', '--rows', '20'],
		{home: home.path},
	);
	expect(code).toBe(0);
	expect(stdout).toContain('Cannot do "cancelRun" in a snapshot: it only looks');
	await command(['tui', 'snapshot', '--keys', '! j j j d a A enter q q'], {home: home.path});
	expect(port.calls).toEqual([]);
});

test('a snapshot is written to a file that only its owner reads', async () => {
	await using home = await temporaryHome();
	await using _ = await serveControl(home.path, busyPort());
	const out = home.file('a.txt');

	expect(await command(['tui', 'snapshot', '--out', out], {home: home.path})).toMatchObject({
		code: 0,
		stdout: '',
		stderr: '',
	});
	expect(await readFile(out, 'utf8')).toContain('Fix the parser');
	expect((await stat(out)).mode & 0o777).toBe(0o600);
});

test.for([
	[['--pane', 'trafic'], 2, 'there is no pane "trafic", did you mean "traffic"'],
	[['--pane', '10'], 2, 'there is no pane "10": 1 traffic, 2 groups'],
	[['--cols', '59'], 2, 'Use a whole number from 60 to 400'],
	[['--rows', '201'], 2, 'Use a whole number from 16 to 200'],
	[['--theme', 'pink'], 2, 'Allowed choices are dark, light, ansi16, mono'],
	[['--keys', 'j flurb'], 2, 'there is no key "flurb"'],
	[['--svg'], 2, 'pictures of the interface are made by "npm run screenshot"'],
	[['--png', '--pane', 'runs'], 2, 'pictures of the interface are made by "npm run screenshot"'],
	[['--filter', 'colour:red'], 2, '(filter_invalid)'],
	[['--out', '/nowhere/at/all.txt'], 1, 'Cannot write "/nowhere/at/all.txt"'],
] as const)('%s ends with %s: %s', async ([args, wanted, says]) => {
	await using home = await temporaryHome();
	await using _ = await serveControl(home.path, busyPort());

	const {code, stdout, stderr} = await command(['tui', 'snapshot', ...args], {
		home: home.path,
		columns: 120,
	});
	expect({code, stdout}).toEqual({code: wanted, stdout: ''});
	expect(stderr).toContain(says);
});

test('a gateway of another version is shown all the same, and said beside it', async () => {
	await using home = await temporaryHome();
	await using _ = await serveControl(home.path, createFakePort());

	const {code, stdout, stderr} = await command(['tui', 'snapshot'], {home: home.path});
	expect(code).toBe(0);
	expect(stderr).toContain('1.0.0');
	expect(stdout).toContain('── Traffic ──');
	expect(stdout).not.toContain('Two versions');
});

test('without a gateway it says what to start', async () => {
	await using home = await temporaryHome();

	const {code, stderr} = await command(['tui', 'snapshot'], {home: home.path});
	expect(code).toBe(1);
	expect(stderr).toContain('"svc gateway"');
	expect(stderr).toContain('(gateway_not_running)');
});

test('what never comes ends in a message that names it', async () => {
	await using home = await temporaryHome();
	const port = {...busyPort(), getDelivery: async () => new Promise<never>(() => {})};
	await using _ = await serveControl(home.path, port);
	// Each look at the clock is a second later.
	const fake = createFakeClock(1_700_000_000_000);
	const clock = {
		...fake,
		monotonic() {
			fake.advance(200);
			return fake.monotonic();
		},
		after(delayMs: number, callback: () => void) {
			const planned = setImmediate(() => {
				fake.advance(delayMs);
				callback();
			});
			return () => {
				clearImmediate(planned);
			};
		},
	};

	const {code, stderr} = await command(['tui', 'snapshot'], {home: home.path, clock});
	expect(code).toBe(1);
	expect(stderr).toMatch(
		/after opening the pane "traffic", the gateway still owes an answer \(snapshot_timeout\)/,
	);
});

test('the terminal of a killed program is reset', async () => {
	await using home = await temporaryHome();
	expect((await command(['tui', 'reset'], {home: home.path})).stdout).toBe(resetSequence);
	expect(foreignSequences(resetSequence)).toEqual([]);
});
