import {expect, test} from 'vitest';
import {platformNames} from '../../source/config/targets.ts';
import {configOf, createTemporaryHome} from './temporary-home.ts';

const webhookWith = (
	route: string,
	{settings = 'secret: global', profile}: {settings?: string; profile?: string} = {},
) => {
	using home = createTemporaryHome(profile === undefined ? {} : {profile});
	return configOf(home.load({config: `platforms: {webhook: {${settings}, routes: {r: ${route}}}}`}))
		.webhook;
};

test.for([
	['{}', 'host: 10.0.0.1', 'route_without_secret'],
	['{secret: ""}', 'secret: global', 'route_without_secret'],
	['{secret: }', 'secret: global', 'route_without_secret'],
	['{secret: []}', 'secret: global', 'route_without_secret'],
	['{secret: ["", "  "]}', 'secret: global', 'route_without_secret'],
	['{}', 'secret: ""', 'route_without_secret'],
	['{deliver_only: true}', 'secret: global', 'deliver_only_without_target'],
	['{deliver_only: true, deliver: log}', 'secret: global', 'deliver_only_without_target'],
	[
		'{cron_job: j, deliver_only: true, deliver: slack}',
		'secret: global',
		'cron_job_with_deliver_only',
	],
	[
		'{coalesce: {key: k}, deliver_only: true, deliver: slack}',
		'secret: global',
		'coalesce_with_deliver_only',
	],
	['{coalesce: {key: k}, cron_job: j}', 'secret: global', 'coalesce_with_cron_job'],
	['{coalesce: {window_seconds: 3}}', 'secret: global', 'coalesce_invalid'],
	['{coalesce: {key: k, window_seconds: 0}}', 'secret: global', 'coalesce_invalid'],
	['{coalesce: true}', 'secret: global', 'coalesce_invalid'],
	['{secret: INSECURE_NO_AUTH}', 'host: 0.0.0.0', 'insecure_not_loopback'],
	['{}', 'secret: INSECURE_NO_AUTH', 'insecure_not_loopback'],
	['{}', 'secret: INSECURE_NO_AUTH, host: 127.0.0.2', 'insecure_not_loopback'],
	['{secret: [s, INSECURE_NO_AUTH]}', 'host: "::"', 'insecure_not_loopback'],
	['{deliver: forge_comment}', 'secret: global', 'forge_comment_incomplete'],
	[
		'{deliver: github_comment, deliver_extra: {repo: a/b}}',
		'secret: global',
		'forge_comment_incomplete',
	],
	[
		'{deliver: forge_comment, deliver_extra: {repo: "", pr_number: 1}}',
		'secret: global',
		'forge_comment_incomplete',
	],
	['{profile: }', 'secret: global', 'profile_invalid'],
	['{profile: "  "}', 'secret: global', 'profile_invalid'],
	['{profile: 7}', 'secret: global', 'profile_invalid'],
	['{profile: other}', 'secret: global', 'not_available_yet'],
	['{cron_job: j}', 'secret: global', 'not_available_yet'],
	['{coalesce: {key: k, window_seconds: 0.5}}', 'secret: global', 'not_available_yet'],
	['{deliver: slack}', 'secret: global', 'not_available_yet'],
	['{deliver: wecom, deliver_only: true}', 'secret: global', 'not_available_yet'],
	['{overflow: queue}', 'secret: global', 'not_available_yet'],
	['{signature: stripe}', 'secret: global', 'not_available_yet'],
	['{signature: {header: x-sig}}', 'secret: INSECURE_NO_AUTH, host: "::1"', 'not_available_yet'],
	['{deliver: slack, cron_job: j}', 'secret: global', 'not_available_yet'],
] as const)('%s with %s is refused at start: %s', ([route, settings, code]) => {
	const {routes, refusals} = webhookWith(route, {settings});
	expect(refusals.map(refusal => refusal.code)).toEqual([code]);
	expect(refusals[0]).toMatchObject({name: 'r', source: 'static', view: {name: 'r'}});
	expect(refusals[0]?.reason).toContain('Route "r"');
	expect(refusals[0]?.view.problem).toBe(refusals[0]?.reason);
	expect(routes.size).toBe(0);
});

test.for(['127.0.0.1', 'localhost', '::1'])(
	'"`INSECURE_NO_AUTH` is accepted only when the server is bound to a loopback host": %s',
	host => {
		const {routes, refusals} = webhookWith('{secret: INSECURE_NO_AUTH}', {
			settings: `host: "${host}"`,
		});
		expect(refusals).toEqual([]);
		expect(routes.get('r')).toMatchObject({insecure: true});
	},
);

test('`deliver_only` needs no prompt, and a comment may take its number from a template', () => {
	const {refusals} = webhookWith(
		'{deliver_only: true, deliver: forge_comment, deliver_extra: {repo: a/b, pr_number: "{number}"}}',
	);
	expect(refusals).toEqual([]);
});

test('every lasting reason is given, and what this version lacks only when nothing else is wrong', () => {
	const {refusals} = webhookWith('{cron_job: j, deliver_only: true}', {settings: 'host: h'});
	expect(refusals.map(({code}) => code)).toEqual([
		'route_without_secret',
		'deliver_only_without_target',
		'cron_job_with_deliver_only',
	]);
});

test.for(platformNames.filter(name => name !== 'email'))(
	'a route to %s is refused by that name before its first event, not after its first run',
	name => {
		expect(webhookWith(`{deliver: ${name}}`).refusals.map(({reason}) => reason)).toEqual([
			`Route "r" delivers to "${name}": this version does not deliver there yet`,
		]);
	},
);

test.for(['deliver: log', 'deliver: email', 'overflow: reject', 'concurrency: 2'])(
	'a route with %s is served',
	setting => {
		expect(webhookWith(`{${setting}}`).refusals).toEqual([]);
	},
);

test('one refused route leaves the others in the table', () => {
	using home = createTemporaryHome();
	const {webhook} = configOf(
		home.load({config: 'platforms: {webhook: {routes: {good: {secret: s}, bad: {}}}}'}),
	);
	expect([...webhook.routes.keys()]).toEqual(['good']);
	expect(webhook.refusals.map(({name}) => name)).toEqual(['bad']);
});

test('a route that names the profile of its own home is a route like any other', () => {
	expect(webhookWith('{profile: ops}', {profile: 'ops'}).routes.get('r')?.profile).toBe('default');
	expect(webhookWith('{profile: default}').routes.get('r')?.profile).toBe('default');
	expect(webhookWith('{profile: default}', {profile: 'ops'}).refusals).toHaveLength(1);
});

test('a route gets its defaults, its aliases and its names', () => {
	expect(webhookWith('{}').routes.get('r')).toEqual({
		name: 'r',
		profile: 'default',
		source: 'static',
		description: '',
		events: [],
		secrets: ['global'],
		insecure: false,
		filters: [],
		scriptTimeoutMs: 30_000,
		retryOnScriptFailure: false,
		skills: [],
		deliver: 'log',
		deliverExtra: {},
		deliverOnly: false,
		mirrorToSession: false,
		rateLimit: 30,
		maxBodyBytes: 1_048_576,
		dedupeBody: false,
	});
	const full = webhookWith(
		'{secret: [a, b], prompt: "", filters: {field: x, equals: null}, deliver: github_comment, deliver_extra: {repo: a/b, pr_number: 7}, mirror_to_session: "true", rate_limit: 5, max_body_bytes: 10, toolsets: []}',
	).routes.get('r');
	expect(full).toMatchObject({
		secrets: ['a', 'b'],
		prompt: '',
		filters: [{field: 'x', equals: null}],
		deliver: 'forge_comment',
		rateLimit: 5,
		maxBodyBytes: 10,
		toolsets: [],
	});
	expect(full?.mirrorToSession, '"counts only when it is exactly `true`"').toBe(false);
});
