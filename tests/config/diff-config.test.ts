import {expect, test} from 'vitest';
import {diffConfig} from '../../source/config/diff-config.ts';
import {configOf, createTemporaryHome} from './temporary-home.ts';

const diff = (before: string, after: string) => {
	using home = createTemporaryHome();
	return diffConfig(configOf(home.load({config: before})), configOf(home.load({config: after})));
};

const webhook = (settings: string) => `platforms: {webhook: {${settings}}}`;

test('the same configuration differs in nothing', () => {
	expect(
		diff(webhook('secret: a, routes: {r: {}}'), webhook('secret: a, routes: {r: {}}')),
	).toEqual({
		changes: [],
		restartNeeded: [],
	});
});

test('"port and host need a restart and say so"', () => {
	expect(diff(webhook('port: 1'), webhook('port: 2, host: localhost'))).toEqual({
		changes: [
			'platforms.webhook.host 0.0.0.0 → localhost (after a restart)',
			'platforms.webhook.port 1 → 2 (after a restart)',
		],
		restartNeeded: ['platforms.webhook.host', 'platforms.webhook.port'],
	});
});

test('a setting that goes back to what is in use needs no restart', () => {
	using home = createTemporaryHome();
	const [inUse, edited] = [
		webhook('port: 1, host: localhost'),
		webhook('port: 2, host: 127.0.0.1'),
	].map(config => configOf(home.load({config})));
	const back = configOf(home.load({config: webhook('port: 1, host: 0.0.0.0')}));
	expect(edited && diffConfig(edited, back, inUse)).toEqual({
		changes: [
			'platforms.webhook.host 127.0.0.1 → 0.0.0.0 (after a restart)',
			'platforms.webhook.port 2 → 1 (as it runs)',
		],
		restartNeeded: ['platforms.webhook.host'],
	});
});

test('routes are named: added, removed, changed by key, refused', () => {
	const before = webhook('secret: a, routes: {gone: {}, same: {}, other: {prompt: x}}');
	const after = webhook(
		'secret: a, routes: {same: {}, other: {prompt: y, events: [push]}, fresh: {}, bad: {deliver_only: true}}',
	);
	expect(diff(before, after).changes).toEqual([
		'route fresh added',
		'route gone removed',
		'route other changed: events, prompt',
		expect.stringContaining('Route "bad" has "deliver_only"'),
	]);
});

test('values are shown, secrets never', () => {
	const before = `model: {name: small, api_key: key-one, base_url: "http://u:pw-one@h/v1"}\n${webhook('secret: hook-one')}`;
	const after = `model: {name: large, api_key: key-two, base_url: "http://u:pw-two@h/v1"}\n${webhook('secret: hook-two')}`;
	const {changes} = diff(before, after);
	expect(changes).toEqual([
		'platforms.webhook.secret changed',
		'model.name small → large',
		'model.base_url changed',
		'model.api_key changed',
	]);
});

test('what changed of a platform is told by key, never its password', () => {
	const email = (settings: string, smtp: string) =>
		`platforms: {email: {enabled: true, from: a@b.example, ${settings}, smtp: {host: h, ${smtp}}}}`;
	const before = email('home_channel: one@b.example', 'password: pw-one');
	const after = email('home_channel: two@b.example', 'password: pw-two, secure: true');
	expect(diff(before, after).changes).toEqual([
		'platforms.email.home_channel one@b.example → two@b.example',
		'platforms.email.smtp.port 587 → 465',
		'platforms.email.smtp.secure false → true',
		'platforms.email.smtp.password changed',
	]);
	expect(diff('{}', before).changes).toContain('platforms.email.from unset → a@b.example');
	expect(diff(before, '{}').changes).toContain('platforms.email.from a@b.example → unset');
});

test.for([
	['{coalesce: {key: k}}', '{coalesce: {key: k, window_seconds: 5}}', 'coalesce.window_seconds'],
	[
		'{coalesce: {key: k, max_wait_seconds: 9}}',
		'{coalesce: {key: j}}',
		'coalesce.key, coalesce.max_wait_seconds',
	],
	['{}', '{coalesce: {key: k}}', 'coalesce'],
	['{cron_job: a}', '{cron_job: b}', 'cron_job'],
	['{signature: stripe}', '{signature: slack}', 'signature'],
	['{signature: {header: x}}', '{signature: {header: x, algorithm: sha1}}', 'signature.algorithm'],
	[
		'{signature: {header: x}}',
		'{signature: {header: x, timestamp_header: t}}',
		'signature.timestamp_header, signature.signed',
	],
	['{}', '{concurrency: 2}', 'concurrency'],
	['{concurrency: 1}', '{concurrency: 2}', 'concurrency'],
	['{}', '{overflow: queue}', 'overflow'],
	[
		'{}',
		'{rate_limit: 1, max_body_bytes: 2, dedupe_body: true}',
		'rate_limit, max_body_bytes, dedupe_body',
	],
	['{}', '{script_timeout_seconds: 2}', 'script_timeout_seconds'],
	[
		'{secret: a}',
		'{secret: b, retired_secrets: [{secret: a, until: 2026-01-01T00:00:00Z}]}',
		'secret, retired_secrets',
	],
] as const)('a route that goes from %s to %s has changed: %s', ([before, after, keys]) => {
	const route = (text: string) => webhook(`secret: g, routes: {r: ${text}}`);
	expect(diff(route(before), route(after)).changes).toEqual([`route r changed: ${keys}`]);
});

test('routes of other profiles come and go with `gateway.multiplex_profiles`', () => {
	const routes = webhook('secret: g, routes: {r: {profile: ops}}');
	const on = `gateway: {multiplex_profiles: true}\n${routes}`;
	expect(diff(routes, on).changes).toEqual([
		'gateway.multiplex_profiles false → true',
		'route r added',
	]);
	expect(diff(on, routes).changes).toEqual([
		'gateway.multiplex_profiles true → false',
		'route r removed',
		'Route "r" is bound to profile "ops": set gateway.multiplex_profiles to serve it',
	]);
});
