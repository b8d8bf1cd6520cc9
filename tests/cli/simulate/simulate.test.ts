import {mkdir} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {systemClock} from '../../../source/core/clock.ts';
import type {StoredDelivery} from '../../../source/core/delivery.ts';
import type {JsonObject, JsonValue} from '../../../source/core/json.ts';
import {openSqliteStore} from '../../../source/store/open-sqlite-store.ts';
import {gatewayHome} from '../../helpers/gateway.ts';
import {makeDelivery} from '../../helpers/make.ts';
import type {TemporaryHome} from '../../helpers/temporary-home.ts';
import {command, commandJson} from '../command.ts';

const start = 1_700_000_000_000;

type Event = {
	readonly payload: JsonValue;
	/** Seconds after the first. */
	readonly at?: number;
	readonly event?: string;
	readonly overrides?: Partial<StoredDelivery>;
};

const stored = ({payload, at = 0, event = 'push', overrides = {}}: Event): StoredDelivery => ({
	...makeDelivery({route: 'gh', event, receivedAt: start + at * 1000}),
	headers: {'x-github-event': event, 'content-type': 'application/json'},
	body: Buffer.from(JSON.stringify(payload)),
	...overrides,
});

/** A home with a route `gh` and stored events of it. */
async function open(route: JsonObject, events: readonly Event[]): Promise<TemporaryHome> {
	const home = await gatewayHome({subscriptions: {gh: route}});
	await using store = await openSqliteStore({clock: systemClock}, {file: home.file('state.db')});
	for (const event of events) {
		await store.intake.record({delivery: stored(event), claim: false});
	}

	return home;
}

const simulate = async (home: TemporaryHome, ...flags: readonly string[]) =>
	commandJson(['webhook', 'simulate', 'gh', ...flags], {home: home.path});

const pulls: readonly Event[] = [
	{payload: {pr: 1, action: 'opened'}, at: 0},
	{payload: {pr: 1, action: 'edited'}, at: 10},
	{payload: {pr: 2, action: 'opened'}, at: 20},
	{payload: {pr: 1, action: 'closed'}, at: 100},
	{payload: {ref: 'main'}, at: 110, event: 'release'},
];

test('today alone: what the settings as they are make of stored events', async () => {
	await using home = await open({events: ['push'], filters: {field: 'pr', exists: true}}, [
		...pulls,
		{payload: {other: 1}},
		{payload: {}, overrides: {body: Buffer.from('{')}},
	]);
	const found = await simulate(home);
	expect(found).toMatchObject({
		route: 'gh',
		deliveries: 7,
		settings: [],
		today: {accepted: 4, 'ignored:event': 1, 'ignored:filter': 1, body: 1, groups: 0, runs: 4},
	});
	expect(found).not.toHaveProperty('edited');
});

test('an edited filter: the totals, and each event that ends otherwise, with expected and got', async () => {
	await using home = await open({}, pulls);
	await home.write('filters.yaml', '- field: action\n  in: [opened, closed]\n');
	const found = await simulate(home, '--filters-file', home.file('filters.yaml'));
	expect(found).toMatchObject({
		settings: ['filters'],
		today: {accepted: 5, runs: 5},
		edited: {accepted: 3, 'ignored:filter': 2, runs: 3},
		changes: [
			{
				today: 'accepted',
				edited: 'ignored:filter',
				why: 'filters[0] action in ["opened", "closed"]: got "edited"',
			},
			{event: 'release', why: 'filters[0] action in ["opened", "closed"]: got nothing'},
		],
	});

	const {code, stdout} = await command(
		['webhook', 'simulate', 'gh', '--filters-file', home.file('filters.yaml')],
		{home: home.path},
	);
	expect(code).toBe(0);
	expect(stdout).toMatch(/^ +TODAY +EDITED +DIFFERENCE$/m);
	expect(stdout).toMatch(/^runs +5 +3 +-2$/m);
	expect(stdout).toMatch(/accepted +ignored:filter +filters\[0\] action in/);
});

test('what passes that was ignored says which filter stopped it', async () => {
	await using home = await open({filters: {field: 'pr', equals: 1}}, pulls);
	await home.write('none.json', '[]');
	const {changes} = await simulate(home, '--filters-file', home.file('none.json'));
	expect(changes).toMatchObject([
		{today: 'ignored:filter', edited: 'accepted', why: 'no more: filters[0] pr equals 1: got 2'},
		{event: 'release'},
	]);
});

test('coalescing is played at the times at which events came: the window, the cap, another key', async () => {
	const burst: readonly Event[] = [
		...[0, 25, 50, 75, 100, 125].map(at => ({payload: {pr: 1}, at})),
		{payload: {pr: 2}, at: 30},
		{payload: {nothing: 1}, at: 40},
	];
	await using home = await open({}, burst);
	const flags = ['--coalesce-key', 'pr', '--coalesce-window', '30'];
	expect(await simulate(home, ...flags)).toMatchObject({
		settings: ['coalesce'],
		today: {accepted: 8, groups: 0, runs: 8},
		edited: {accepted: 1, coalesced: 7, groups: 2, runs: 3},
	});
	expect(await simulate(home, ...flags, '--coalesce-max-wait', '60')).toMatchObject({
		edited: {coalesced: 7, groups: 3, runs: 4},
	});
	expect(await simulate(home, '--coalesce-key', 'pr', '--coalesce-window', '0.5')).toMatchObject({
		edited: {coalesced: 7, groups: 7},
	});
	const {changes} = await simulate(home, ...flags);
	expect(changes).toHaveLength(7);
	expect(changes[0]).toMatchObject({today: 'accepted', edited: 'coalesced', why: 'key 1'});
});

test('a prompt that is edited: how many are different, and the first of them as a diff', async () => {
	await using home = await open({prompt: 'One\nsee {pr}\nend'}, pulls);
	const found = await simulate(home, '--prompt', 'One\nreview {pr} ({action})\nend');
	expect(found).toMatchObject({settings: ['prompt'], changes: [], promptsChanged: 5});
	expect(found.promptDiff.lines).toEqual(['- see 1', '+ review 1 (opened)']);
	await home.write('prompt.txt', 'From a file {pr}');
	expect(
		(await simulate(home, '--prompt-file', home.file('prompt.txt'))).promptDiff.lines.at(-1),
	).toBe('+ From a file 1');
	expect(
		(
			await command(['webhook', 'simulate', 'gh', '--prompt', 'a', '--prompt-file', 'b'], {
				home: home.path,
			})
		).code,
	).toBe(2);
});

test('a duplicate stays one, unless what it repeats would have been ignored', async () => {
	await using home = await open({}, [
		{payload: {pr: 1}, overrides: {deliveryId: 'same'}},
		{payload: {pr: 1}, at: 5, overrides: {deliveryId: 'same', outcome: 'duplicate', status: 200}},
		{payload: {pr: 2}, at: 9, overrides: {deliveryId: 'gone', outcome: 'duplicate', status: 200}},
	]);
	await home.write('filters.json', '{"field": "pr", "equals": 2}');
	expect(await simulate(home, '--filters-file', home.file('filters.json'))).toMatchObject({
		today: {accepted: 1, duplicate: 2},
		edited: {accepted: 0, duplicate: 1, 'ignored:filter': 2},
	});
});

/** Two requests with one identifier, `seconds` apart, stored with these outcomes. */
const twice = (
	outcomes: readonly [StoredDelivery['outcome'], StoredDelivery['outcome']],
	seconds = 60,
): readonly Event[] =>
	outcomes.map((outcome, index) => ({
		payload: {pr: 1},
		at: index * seconds,
		overrides: {deliveryId: 'same', outcome},
	}));

test.for([
	['was ignored', ['ignored:filter', 'accepted'], 60, {accepted: 1, duplicate: 1, runs: 1}],
	['was ignored, as the other', ['ignored:event', 'ignored:event'], 60, {accepted: 1, runs: 1}],
	['found no room', ['queue', 'accepted'], 60, {accepted: 1, duplicate: 1, runs: 1}],
	['started a run that failed', ['accepted', 'accepted'], 60, {accepted: 2, duplicate: 0}],
	['came more than an hour before', ['ignored:filter', 'accepted'], 3601, {accepted: 2}],
	['came just within the hour', ['ignored:filter', 'accepted'], 3599, {accepted: 1, duplicate: 1}],
] as const)(
	'a redelivery of what %s counts as the receiver would count it',
	async ([, outcomes, seconds, today]) => {
		await using home = await open({}, twice(outcomes, seconds));
		expect(await simulate(home)).toMatchObject({today});
	},
);

test('a person who replays makes no event of the sender: it is left out', async () => {
	await using home = await open({}, [
		{payload: {pr: 1}},
		{payload: {pr: 1}, at: 5, overrides: {replayOf: 'abcd1234', idSource: 'replay'}},
	]);
	expect(await simulate(home)).toMatchObject({deliveries: 1, leftOut: 0, today: {runs: 1}});
});

test('what another profile received under the same name of a route is not decided', async () => {
	await using home = await open({}, [
		...pulls,
		{payload: {pr: 9}, at: 200, overrides: {profile: 'acme'}},
	]);
	expect(await simulate(home)).toMatchObject({deliveries: 5, leftOut: 0});
});

test('the event is read as the route reads it: by the headers of its sender', async () => {
	const events: readonly Event[] = [
		{
			payload: {id: 1},
			overrides: {
				headers: {'x-shopify-topic': 'orders/create', 'content-type': 'application/json'},
			},
		},
	];
	await using home = await open({signature: 'shopify', events: ['orders/create']}, events);
	expect(await simulate(home)).toMatchObject({today: {accepted: 1, 'ignored:event': 0}});
	await using plain = await open({events: ['orders/create']}, events);
	expect(await simulate(plain)).toMatchObject({today: {accepted: 0, 'ignored:event': 1}});
});

test('"in_file": files are those of the profile that the route is bound to', async () => {
	await using home = await gatewayHome({
		config: {gateway: {multiplex_profiles: true}},
		subscriptions: {
			gh: {profile: 'acme', filters: {field: 'user', in_file: 'people.json'}},
		},
	});
	await mkdir(home.file('profiles/acme'), {recursive: true});
	await home.write('people.json', '["ann"]');
	await home.write('profiles/acme/people.json', '["bob"]');
	{
		await using store = await openSqliteStore({clock: systemClock}, {file: home.file('state.db')});
		for (const user of ['ann', 'bob', 'eve']) {
			const delivery = stored({payload: {user}, overrides: {profile: 'acme', deliveryId: user}});
			await store.intake.record({delivery, claim: false});
		}
	}

	await home.write('none.json', '[]');
	const {today, changes} = await simulate(home, '--filters-file', home.file('none.json'));
	expect(today).toMatchObject({accepted: 1, 'ignored:filter': 2});
	expect(changes.map(({why}: {why: string}) => why)).toEqual([
		expect.stringContaining('got "ann"'),
		expect.stringContaining('got "eve"'),
	]);
});

test('only the newest are taken; rejections and other routes are none of them; bodies that are gone are counted', async () => {
	await using home = await open({}, [
		...pulls,
		{payload: {}, overrides: {route: 'other'}},
		{payload: {}, overrides: {outcome: 'signature', status: 401}},
	]);
	const {body: _none, ...bodiless} = stored({payload: {}});
	{
		await using store = await openSqliteStore({clock: systemClock}, {file: home.file('state.db')});
		await store.intake.record({delivery: bodiless, claim: false});
	}

	expect(await simulate(home)).toMatchObject({deliveries: 5, leftOut: 1});
	expect(await simulate(home, '--last', '3')).toMatchObject({deliveries: 2, leftOut: 1});
});

test('what cannot be simulated is said: the script, and headers that are not stored', async () => {
	await using home = await open(
		{script: 'f.sh', filters: {not: {field: 'headers.X-Custom', equals: 'a'}}},
		pulls,
	);
	expect((await simulate(home)).notes).toEqual([
		'the script f.sh is not run: what it ignores or changes does not show',
		'the header x-custom is not stored with 5 of 5 events: filters find it missing there',
	]);
	const {stderr} = await command(['webhook', 'simulate', 'gh'], {home: home.path});
	expect(stderr).toContain('Note: the script f.sh is not run');
});

test.for([
	['filters that the receiver would refuse', '[{"field": "a", "regex": "("}]', []],
	['a key that is none', undefined, ['--coalesce-key', '']],
] as const)('%s are refused', async ([, filters, flags]) => {
	await using home = await open({}, pulls);
	await home.write('filters.json', filters ?? '[]');
	const {code, stderr} = await command(
		['webhook', 'simulate', 'gh', '--filters-file', home.file('filters.json'), ...flags],
		{home: home.path},
	);
	expect(code).toBe(1);
	expect(stderr).toContain('(simulation_refused)');
});

test('nothing is changed: neither files nor the journal', async () => {
	await using home = await open({}, pulls);
	const before = await home.read('webhook_subscriptions.json');
	await simulate(home, '--prompt', 'other', '--coalesce-key', 'pr');
	expect(await home.read('webhook_subscriptions.json')).toBe(before);
	expect(await commandJson(['deliveries', 'list'], {home: home.path})).toHaveLength(5);
	expect(await commandJson(['groups', 'list'], {home: home.path})).toEqual([]);
	const nobody = await command(['webhook', 'simulate', 'nobody'], {home: home.path});
	expect(nobody.stderr).toContain('(route_not_found)');
});

test('a route without an agent gathers nothing', async () => {
	await using home = await open({}, pulls);
	await home.write(
		'webhook_subscriptions.json',
		JSON.stringify({
			gh: {
				secret: 's',
				deliver: 'forge_comment',
				deliver_only: true,
				deliver_extra: {repo: 'acme/api', pr_number: '1'},
			},
		}),
	);
	expect(await simulate(home)).toMatchObject({today: {delivered: 5, runs: 0}});
	await home.write(
		'webhook_subscriptions.json',
		JSON.stringify({job: {secret: 's', cron_job: 'nightly'}, gh: {secret: 's'}}),
	);
	const job = await command(['webhook', 'simulate', 'job', '--coalesce-key', 'pr'], {
		home: home.path,
	});
	expect(job.stderr, '"Mutually exclusive with … coalesce"').toContain('(simulation_refused)');
	await home.write(
		'webhook_subscriptions.json',
		JSON.stringify({
			gh: {
				secret: 's',
				deliver: 'forge_comment',
				deliver_only: true,
				deliver_extra: {repo: 'acme/api', pr_number: '1'},
			},
		}),
	);
	const {stderr} = await command(['webhook', 'simulate', 'gh', '--coalesce-key', 'pr'], {
		home: home.path,
	});
	expect(stderr).toContain('(simulation_refused)');
});
