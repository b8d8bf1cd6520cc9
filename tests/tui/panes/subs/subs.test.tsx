import {expect, test} from 'vitest';
import type {RouteView} from '../../../../source/core/config-view.ts';
import {routeList} from '../../../../source/tui/panes/subs/route-list.ts';
import {createFakePort} from '../../../helpers/fake-port.ts';
import {readTable} from '../../../helpers/read-table.ts';
import {showShell} from '../../../helpers/show-shell.tsx';

const narrow = {columns: 80, rows: 24};

const route = (overrides: Partial<RouteView>): RouteView => ({
	name: 'gh-review',
	profile: 'default',
	source: 'dynamic',
	description: '',
	events: ['pull_request'],
	deliver: 'log',
	mode: 'agent',
	insecure: false,
	...overrides,
});

const routes: readonly RouteView[] = [
	route({}),
	route({
		name: 'alerts',
		mode: 'coalesce',
		coalesceKey: '{host}',
		windowMs: 30_000,
		maxWaitMs: 300_000,
		deliver: 'slack',
	}),
	route({name: 'nightly', mode: 'cron_job', cronJob: 'digest'}),
	route({name: 'forms', mode: 'deliver_only', deliver: 'email'}),
	route({name: 'deploy', profile: 'ops', signature: 'stripe', concurrency: 1, overflow: 'queue'}),
];

test('each route says what becomes of its events; one of another profile shows its address', async () => {
	await using shown = await showShell(createFakePort({routes}), narrow, {pane: 'subs'});

	const rows = readTable(shown.screen.lines(), ['name', 'source', 'events', 'deliver']);
	expect(rows.map(({cells}) => [cells['name'], cells['deliver']])).toEqual([
		['gh-review', 'log'],
		['alerts', 'slack per {host}'],
		['nightly', 'cron: digest'],
		['forms', 'deliver_only: email'],
		['/p/ops/webhooks/deploy', 'log'],
	]);
	expect(rows[0]).toMatchObject({sign: '>', cells: {source: 'dynamic', events: 'pull_request'}});
});

test.for([
	[1, 'coalesce     key {host}  30 s / 300 s'],
	[4, 'signature    stripe'],
	[4, 'concurrency  1 run at once'],
	[4, 'overflow     queue: above the rate limit events wait'],
	[1, 'path         /webhooks/alerts'],
	[2, 'cron_job     digest'],
	[4, 'path         /p/ops/webhooks/deploy'],
	[4, 'profile      ops'],
] as const)('the detail of route %d says "%s"', async ([index, text]) => {
	await using shown = await showShell(createFakePort({routes}), narrow, {pane: 'subs'});
	await shown.screen.press(...Array.from({length: index}, () => 'j'), 'enter');

	expect(shown.text()).toContain(text);
});

test.for([
	['profile:ops', ['deploy']],
	['job:digest', ['nightly']],
	['key:host', ['alerts']],
	['/p/ops', ['deploy']],
] as const)('the filter %s keeps %j', async ([filter, names]) => {
	await using shown = await showShell(createFakePort({routes}), narrow, {
		pane: 'subs',
		filters: {subs: filter},
	});

	expect(
		shown.shell
			.list(routeList)
			.shown()
			.map(({name}) => name),
	).toEqual(names);
});
