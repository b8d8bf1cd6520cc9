import {expect, test} from 'vitest';
import type {RouteView} from '../../../source/core/config-view.ts';
import {acts} from '../../../source/tui/commands/table.ts';
import {synonyms, paletteEntries} from '../../../source/tui/dialogs/palette-entries.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeDelivery, makeRun, received} from '../../helpers/make.ts';
import {showShell, testNow} from '../../helpers/show-shell.tsx';

const size = {columns: 80, rows: 24};

const range = (length: number) => Array.from({length}, (_, index) => index);

const route: RouteView = {
	name: 'hook',
	profile: 'default',
	source: 'dynamic',
	mode: 'agent',
	deliver: 'log',
	events: ['push'],
	description: '',
	insecure: false,
};

const firstOf = async (pane: string, query: string) => {
	await using shown = await showShell(
		createFakePort({routes: [route]}),
		{columns: 80, rows: 24},
		{pane},
	);
	const [first] = paletteEntries(shown.shell, acts, query);
	return first && `${first.place}: ${first.label}`;
};

test.for([
	['routes', 'rota', 'Routes: new secret'],
	['routes', 'rename', 'Routes: edit'],
	['routes', 'paus', 'Routes: pause or resume'],
	['traffic', 'paus', 'everywhere: pause or resume live updates'],
	['traffic', 'approv', 'everywhere: review approvals'],
	['routes', 'copy', 'Routes: copy'],
] as const)('in %s "%s" finds "%s" first', async ([pane, query, found]) => {
	expect(await firstOf(pane, query)).toBe(found);
});

test.for([
	['1603', 'go to run #1603'],
	['#1603', 'go to run #1603'],
	['9', 'go to run #9 gh-review ○ queued'],
] as const)('the run that "%s" names is found first, whoever holds it', async ([query, label]) => {
	const runs = [makeRun({id: 9}), ...range(60).map(index => makeRun({id: 2000 + index}))];
	await using shown = await showShell(
		createFakePort({runs: query === '9' ? runs : runs.slice(1)}),
		{
			columns: 80,
			rows: 24,
		},
	);
	expect(paletteEntries(shown.shell, acts, query)[0]?.label).toBe(label);
});

test('a run that never was is not offered', async () => {
	await using shown = await showShell(createFakePort({runs: [makeRun({id: 9})]}), size);
	expect(paletteEntries(shown.shell, acts, '1603').map(({label}) => label)).not.toContain(
		'go to run #1603',
	);
});

test('a delivery is found by the ending of its identifier, also one that only the journal has', async () => {
	const port = createFakePort();
	const listed = makeDelivery({receivedAt: testNow});
	port.emit(received(listed));
	await using shown = await showShell(port, size);
	expect(paletteEntries(shown.shell, acts, listed.id.slice(-6))[0]?.label).toBe(
		`go to delivery ${listed.id.slice(-6)} ${listed.route} 202 accepted`,
	);

	const asked: string[] = [];
	port.getDelivery = async id => {
		asked.push(id);
		return undefined;
	};
	paletteEntries(shown.shell, acts, '1zxy98').at(-1)?.run();
	await shown.pass(0);
	expect(asked).toEqual(['1zxy98']);
	expect(shown.said()).toContain('The journal has no delivery 1zxy98');
});

test('deliveries are found by words of theirs, not by letters that are somewhere in them', async () => {
	const port = createFakePort();
	const listed = makeDelivery({receivedAt: testNow, route: 'gh-tokens'});
	port.emit(received(makeDelivery({receivedAt: testNow, route: 'rook', event: 'eventn'})));
	port.emit(received(listed));
	await using shown = await showShell(port, size);
	const found = (query: string) =>
		paletteEntries(shown.shell, acts, query)
			.map(({label}) => label)
			.filter(label => label.startsWith('go to delivery'));
	expect(found('go delivery tokens')).toEqual([expect.stringContaining(' gh-tokens ')]);
	expect(found('tokens')).toHaveLength(1);
	expect(found('gtdrk')).toEqual([]);
});

test.for([
	['concurrency', ['runs.concurrency: Runs at a time', 'route.concurrency: ']],
	['max que', ['runs.max_queued: Runs that may wait']],
	['login_wait', ['runs.login_wait_seconds: How long a run waits for a login']],
	['rate_limit', ['route.rate_limit', 'platforms.webhook.rate_limit']],
	['runs.tries', ['runs.tries: Tries of the agent']],
] as const)('"%s" finds the settings %j', async ([query, labels]) => {
	await using shown = await showShell(createFakePort({routes: [route]}), size);
	const found = paletteEntries(shown.shell, acts, query).map(({label}) => label);
	for (const label of labels) {
		expect(found.slice(0, 5)).toContainEqual(expect.stringContaining(label));
	}

	expect(found.filter(label => label.startsWith('runs.concurrency')).length).toBeLessThan(2);
});

test('a setting opens its page of the manual, that of its subject, and two letters find none', async () => {
	await using shown = await showShell(createFakePort(), size);
	const entries = paletteEntries(shown.shell, acts, 'concurrency');
	entries.find(({label}) => label.startsWith('runs.concurrency'))?.run();
	entries.find(({label}) => label.startsWith('route.concurrency'))?.run();
	await shown.pass(0);
	expect(shown.desktop.paged).toEqual(['manual runs', 'manual routes']);
	expect(paletteEntries(shown.shell, acts, 'co').map(({place}) => place)).not.toContainEqual(
		expect.stringMatching(/^help /),
	);
});

test('every other word belongs to a command that there is', () => {
	const ids = new Set<string>(acts.map(({id}) => id));
	expect(Object.keys(synonyms).filter(id => !ids.has(id))).toEqual([]);
});
