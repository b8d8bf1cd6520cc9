import {mkdir} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {systemClock} from '../../../source/core/clock.ts';
import type {Delivery} from '../../../source/core/delivery.ts';
import {openSqliteStore} from '../../../source/store/open-sqlite-store.ts';
import {installForgeClient} from '../../helpers/forge-client.ts';
import {gatewayHome} from '../../helpers/gateway.ts';
import {makeDelivery} from '../../helpers/make.ts';
import {command} from '../command.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

const hourMs = 3_600_000;

/** A home with a journal, and a code host that could not deliver one event, `lost`, an hour ago. */
async function open(
	stored: readonly Partial<Delivery>[],
	{profile = 'default'}: {profile?: string} = {},
) {
	const stack = new AsyncDisposableStack();
	const client = stack.use(await installForgeClient());
	const tried = {
		id: 4,
		guid: 'lost',
		delivered_at: new Date(now - hourMs).toISOString(),
		status: 'failed to connect',
		status_code: 502,
		event: 'push',
		action: null,
	};
	await client.serve({'repos/acme/api/hooks/11/deliveries?per_page=100': {body: [tried]}});
	const home = stack.use(
		await gatewayHome({
			config: {forge: {cli: 'gh'}, gateway: {multiplex_profiles: true}},
			subscriptions: {gh: {prompt: 'x', profile}},
		}),
	);
	{
		await using store = await openSqliteStore({clock: systemClock}, {file: home.file('state.db')});
		await Promise.all(
			stored.map(async overrides =>
				store.intake.record({
					delivery: {...makeDelivery({route: 'gh', receivedAt: now, ...overrides}), headers: {}},
					claim: false,
				}),
			),
		);
	}

	return {
		client,
		home,
		/** How many events there are to recover, and how many are here already. */
		look: async (): Promise<readonly [number, number]> => {
			const {code, stdout, stderr} = await command(
				'webhook recover gh --repo acme/api --hook 11 --since 2h --dry-run --json'.split(' '),
				{
					home: home.path,
					environment: {PATH: client.path},
					clock: {now: () => now, monotonic: () => 0, after: () => () => {}},
				},
			);
			expect({code, stderr}).toEqual({code: 0, stderr: ''});
			const {events, known} = JSON.parse(stdout);
			return [events.length, known];
		},
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

test('an event is known that was taken in before more than a thousand others', async () => {
	await using setup = await open([
		{deliveryId: 'lost'},
		...Array.from({length: 1001}, () => ({outcome: 'accepted' as const})),
	]);
	expect(await setup.look()).toEqual([0, 1]);
});

test('an event is known that was taken in at a try before --since', async () => {
	await using setup = await open([{deliveryId: 'lost', receivedAt: now - 30 * hourMs}]);
	expect(await setup.look()).toEqual([0, 1]);
});

test('"key = (profile, route, id)": what another profile or another route took in is not known here', async () => {
	await using setup = await open([
		{deliveryId: 'lost', profile: 'acme'},
		{deliveryId: 'lost', route: 'other'},
	]);
	expect(await setup.look()).toEqual([1, 0]);
	await using theirs = await open([{deliveryId: 'lost', profile: 'acme'}], {profile: 'acme'});
	expect(await theirs.look()).toEqual([0, 1]);
});

test('what was refused or ignored is not taken in', async () => {
	await using setup = await open([
		{deliveryId: 'lost', outcome: 'queue', status: 503},
		{deliveryId: 'lost', outcome: 'ignored:filter', status: 200},
	]);
	expect(await setup.look()).toEqual([1, 0]);
});

test('the client gets the token of the profile that the route is bound to', async () => {
	await using setup = await open([], {profile: 'acme'});
	await mkdir(setup.home.file('profiles/acme'), {recursive: true});
	await setup.home.write('.env', 'GH_TOKEN=token-of-the-gateway\n');
	await setup.home.write('profiles/acme/.env', 'GH_TOKEN=token-of-acme\n');
	await setup.look();
	expect((await setup.client.calls()).map(({environment}) => environment['GH_TOKEN'])).toEqual([
		'token-of-acme',
	]);
});
