import {expect, test} from 'vitest';
import {checkSubscription} from '../../source/config/check-subscription.ts';
import {mergeSubscription} from '../../source/config/merge-subscription.ts';
import type {JsonValue} from '../../source/core/json.ts';
import {configOf, createTemporaryHome} from './temporary-home.ts';

const today = '2026-11-20';

test('"Creation returns … an auto-generated HMAC secret"', () => {
	const entry = mergeSubscription(undefined, {events: ['push']}, {today});
	expect(entry).toEqual({
		events: ['push'],
		secret: expect.stringMatching(/^[\w-]{43}$/),
		rotated_on: today,
	});
	expect(mergeSubscription(undefined, {}, {today})['secret']).not.toBe(entry['secret']);
	expect(mergeSubscription(undefined, {secret: 'mine'}, {today})).toEqual({
		secret: 'mine',
		rotated_on: today,
	});
	expect(mergeSubscription({secret: 'mine'}, {secret: 'mine'}, {today})).toEqual({secret: 'mine'});
});

test('"A subscription that exists is updated: its secret and every key not named by a flag stay"', () => {
	const existing = {
		secret: 'kept',
		prompt: 'old',
		toolsets: ['web'],
		unknown: {x: 1},
		deliver_extra: {chat_id: '1', message_thread_id: 7},
		coalesce: {key: 'a', window_seconds: 3},
	};
	expect(
		mergeSubscription(existing, {prompt: 'new', deliverChatId: '2', coalesceKey: 'b'}, {today}),
	).toEqual({
		...existing,
		prompt: 'new',
		deliver_extra: {chat_id: '2', message_thread_id: 7},
		coalesce: {key: 'b', window_seconds: 3},
	});
	expect(mergeSubscription(existing, {coalesceMaxWait: 9}, {today})['coalesce']).toEqual({
		key: 'a',
		window_seconds: 3,
		max_wait_seconds: 9,
	});
	expect(mergeSubscription(existing, {}, {today})).toEqual(existing);
	expect(mergeSubscription({prompt: 'x'}, {}, {today})).toEqual({prompt: 'x'});
});

test('every flag has its key', () => {
	const entry = mergeSubscription(
		{},
		{
			events: ['a'],
			prompt: 'p',
			deliver: 'slack',
			deliverChatId: 'c',
			deliverOnly: true,
			description: 'd',
			routeProfile: 'ops',
			cronJob: 'j',
			mirrorToSession: true,
			filters: [{field: 'x', exists: true}],
			script: 's.sh',
			skills: ['k'],
			coalesceKey: 'id',
			coalesceWindow: 0.5,
			coalesceMaxWait: 60,
			secret: 't',
		},
		{today},
	);
	expect(entry).toEqual({
		events: ['a'],
		prompt: 'p',
		deliver: 'slack',
		deliver_extra: {chat_id: 'c'},
		deliver_only: true,
		description: 'd',
		profile: 'ops',
		cron_job: 'j',
		mirror_to_session: true,
		filters: [{field: 'x', exists: true}],
		script: 's.sh',
		skills: ['k'],
		coalesce: {key: 'id', window_seconds: 0.5, max_wait_seconds: 60},
		secret: 't',
		rotated_on: today,
	});
});

test.for([
	[{secret: 's'}, []],
	[{}, ['route_without_secret']],
	[{secret: 's', deliver_only: true}, ['deliver_only_without_target']],
	[{secret: 'INSECURE_NO_AUTH'}, ['insecure_not_loopback']],
	[{secret: 's', coalesce: {}}, ['coalesce_invalid']],
	[{secret: 's', profile: null}, ['profile_invalid']],
	[{secret: 's', deliver: 'nowhere'}, ['entry_invalid']],
	[{secret: 's', deliver: 'wecom'}, []],
	[{secret: 's', filters: [{field: 'x', regex: '(?=y)'}]}, ['entry_invalid']],
	[{secret: '${NOT_SET}'}, ['entry_invalid']],
	[
		{secret: 's', retired_secrets: [{secret: '${NOT_SET}', until: '2026-01-01T00:00Z'}]},
		['entry_invalid'],
	],
	[{secret: 's', retired_secrets: [{secret: 'x', until: 'soon'}]}, ['entry_invalid']],
	[{secret: 'whsec_?'}, ['secret_invalid']],
	[{secret: 's', coalesce: {key: 'k'}}, []],
	[{secret: 's', coalesce: {key: 'k', window_seconds: '3'}}, ['coalesce_invalid']],
	[{secret: 's', coalesce: {window_seconds: 3}}, ['coalesce_invalid']],
	[{secret: 's', cron_job: 'j'}, []],
	[{secret: 's', cron_job: ''}, ['entry_invalid']],
	[{secret: 's', cron_job: 'j', coalesce: {key: 'k'}}, ['coalesce_with_cron_job']],
	[
		{secret: 's', cron_job: 'j', deliver_only: true, deliver: 'email'},
		['cron_job_with_deliver_only'],
	],
	[
		{secret: 's', overflow: 'queue', deliver_only: true, deliver: 'email'},
		['overflow_with_deliver_only'],
	],
	[{secret: 's', overflow: 'queue', concurrency: 2}, []],
	[{secret: 's', signature: 'stripe'}, []],
	[{secret: 's', signature: 'paypal'}, ['signature_invalid']],
	[{secret: 's', signature: {header: 'x', signed: 'body'}}, ['signature_invalid']],
	['text', ['entry_invalid']],
] as const)(
	'"What the receiver would refuse at start is refused at creation": %j',
	([entry, codes]) => {
		using home = createTemporaryHome();
		const config = configOf(home.load());
		expect(checkSubscription('a', entry, config).refusals.map(({code}) => code)).toEqual(codes);
	},
);

test('a refusal names the key when there is one', () => {
	using home = createTemporaryHome();
	const config = configOf(home.load());
	const reasonFor = (entry: JsonValue) => checkSubscription('a', entry, config).refusals[0]?.reason;
	expect(reasonFor({secret: 's', prompt: 1})).toMatch(/^Route "a" cannot be used: prompt must be /);
	expect(reasonFor('text')).toBe('Route "a" cannot be used: must be a mapping, not text');
	expect(reasonFor({secret: 's', skills: {deep: Infinity}})).toBe(
		'Route "a" cannot be used: skills.deep must be a finite number',
	);
	expect(reasonFor(Infinity)).toBe('Route "a" cannot be used: must be a finite number');
});

test.for([
	[{secret: 'long-secret'}, []],
	[
		{secret: 's', profile: 'ops'},
		['Route "a" is bound to profile "ops": set gateway.multiplex_profiles to serve it'],
	],
	[
		{secret: 'long-secret', events: null},
		[
			'webhook_subscriptions.json a.events: has no value, which is the same as no such key: give it one or remove it',
		],
	],
] as const)('what may be created all the same comes with warnings: %j', ([entry, warnings]) => {
	using home = createTemporaryHome();
	const config = configOf(home.load());
	expect(checkSubscription('a', entry, config)).toMatchObject({refusals: [], warnings});
});

test('a subscription with the name of a static route is told that it is not used', () => {
	using home = createTemporaryHome();
	const config = configOf(home.load({config: 'platforms: {webhook: {routes: {a: {secret: s}}}}'}));
	expect(checkSubscription('a', {secret: 't'}, config).warnings).toEqual([
		'Dynamic route "a" is not used: a route of config.yaml has the same name',
	]);
});

test.for(['A', '', '-a', 'a/b', 'a.b', 'a'.repeat(65), '__proto__', 'a\n'])(
	'"Names: `^[a-z0-9][a-z0-9_-]{0,63}$`": %j is refused',
	name => {
		using home = createTemporaryHome();
		const config = configOf(home.load());
		expect(checkSubscription(name, {secret: 's'}, config).refusals).toMatchObject([
			{code: 'name_invalid'},
		]);
	},
);
