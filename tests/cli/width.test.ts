import stringWidth from 'string-width';
import {expect, test} from 'vitest';
import {createFakePort} from '../helpers/fake-port.ts';
import {gatewayHome} from '../helpers/gateway.ts';
import {makeDelivery, makeGroup, makeRun} from '../helpers/make.ts';
import {command, serveControl} from './command.ts';

const long = 'a-name-that-goes-on-and-on-and-on-and-on-and-on-and-on';

async function open() {
	const stack = new AsyncDisposableStack();
	const home = stack.use(
		await gatewayHome({
			config: {gateway: {multiplex_profiles: true}},
			subscriptions: {
				[long]: {events: ['pull_request', 'pull_request_review', 'issues'], profile: 'acme'},
				short: {coalesce: {key: '{repository.full_name}#{pull_request.number}'}},
				broken: {deliver: 'pigeon'},
			},
		}),
	);
	const port = createFakePort({
		groups: [makeGroup({route: long, key: '日本語'.repeat(30)})],
	});
	const run = makeRun({
		route: long,
		event: 'pull_request_review_comment',
		state: 'interrupted',
		target: 'forge_comment',
		error: 'Cannot comment on "acme/api#7": '.repeat(5),
		superseded: 12,
	});
	port.deliveries.set('d', {
		...makeDelivery({route: long, event: 'pull_request_review_comment', runId: 1}),
		headers: {},
	});
	port.runs.set(1, {
		...run,
		plan: {prompt: '', target: {kind: 'log', extra: {}}, skills: []},
		transcript: [],
	});
	stack.use(await serveControl(home.path, port));
	return {home, [Symbol.asyncDispose]: () => stack.disposeAsync()};
}

const listings = [
	['webhook', 'list'],
	['deliveries', 'list'],
	['deliveries', 'list', '--dead'],
	['runs', 'list'],
	['groups', 'list'],
	['cron', 'list'],
] as const;

test.for([60, 80, 120])('no listing wraps in a terminal of %i columns', async columns => {
	await using setup = await open();
	for (const args of listings) {
		const {code, stdout} = await command(args, {home: setup.home.path, columns});
		expect(code).toBe(0);
		for (const line of stdout.split('\n')) {
			expect(stringWidth(line)).toBeLessThanOrEqual(columns);
		}
	}
});

test('in a pipe nothing is cut', async () => {
	await using setup = await open();
	for (const args of listings.slice(0, 5)) {
		const {stdout} = await command(args, {home: setup.home.path});
		expect(stdout).toContain(long);
	}
});
