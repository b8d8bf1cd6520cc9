import {expect, test} from 'vitest';
import {configOf, createTemporaryHome} from './temporary-home.ts';

const webhookWith = (
	route: string,
	{settings = 'secret: global', profile}: {settings?: string; profile?: string} = {},
) => {
	using home = createTemporaryHome(profile === undefined ? {} : {profile});
	return configOf(home.load({config: `platforms: {webhook: {${settings}, routes: {r: ${route}}}}`}))
		.webhook;
};

/** "Startup refusals (the adapter does not start)"; everything else takes out its route alone. @see manual/receiver.md#refused-at-the-start */
const ofContract: ReadonlySet<string> = new Set([
	'route_without_secret',
	'deliver_only_without_target',
	'cron_job_with_deliver_only',
	'coalesce_with_deliver_only',
	'coalesce_with_cron_job',
	'insecure_not_loopback',
]);

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
		'{cron_job: j, deliver_only: true, deliver: wecom}',
		'secret: global',
		'cron_job_with_deliver_only',
	],
	[
		'{coalesce: {key: k}, deliver_only: true, deliver: wecom}',
		'secret: global',
		'coalesce_with_deliver_only',
	],
	['{coalesce: {key: k}, cron_job: j}', 'secret: global', 'coalesce_with_cron_job'],
	['{coalesce: {window_seconds: 3}}', 'secret: global', 'coalesce_invalid'],
	['{coalesce: {key: k, window_seconds: 0}}', 'secret: global', 'coalesce_invalid'],
	['{coalesce: {key: k, max_wait_seconds: -1}}', 'secret: global', 'coalesce_invalid'],
	['{coalesce: {key: "  "}}', 'secret: global', 'coalesce_invalid'],
	['{coalesce: {key: 7}}', 'secret: global', 'coalesce_invalid'],
	['{coalesce: true}', 'secret: global', 'coalesce_invalid'],
	['{secret: INSECURE_NO_AUTH}', 'host: 0.0.0.0', 'insecure_not_loopback'],
	['{}', 'secret: INSECURE_NO_AUTH', 'insecure_not_loopback'],
	['{}', 'secret: INSECURE_NO_AUTH, host: 127.0.0.2', 'insecure_not_loopback'],
	['{secret: [s, INSECURE_NO_AUTH]}', 'host: "::"', 'insecure_not_loopback'],
	['{deliver: forge_comment}', 'secret: global', 'forge_comment_incomplete'],
	[
		'{deliver: forge_comment, deliver_extra: {repo: a/b, pr_number: 7, sticky: maybe}}',
		'secret: global',
		'forge_comment_invalid',
	],
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
	['{profile: ../other}', 'secret: global', 'profile_invalid'],
	['{profile: Other}', 'secret: global', 'profile_invalid'],
	['{profile: [default]}', 'secret: global', 'profile_invalid'],
	['{profile: other, deliver_only: true}', 'secret: global', 'deliver_only_without_target'],
	['{profile: other}', 'host: 10.0.0.1', 'route_without_secret'],
	[
		'{deliver_only: true, deliver: email, overflow: queue}',
		'secret: global',
		'overflow_with_deliver_only',
	],
	['{signature: strip}', 'secret: global', 'signature_invalid'],
	['{signature: twilio}', 'secret: global', 'signature_without_url'],
	['{signature: discord}', 'secret: global', 'secret_invalid'],
	['{secret: "whsec_!"}', 'secret: global', 'secret_invalid'],
	['{}', 'secret: whpk_AAAA', 'secret_invalid'],
] as const)('%s with %s is not served: %s', ([route, settings, code]) => {
	const {routes, refusals, invalid} = webhookWith(route, {settings});
	const [found, none] = ofContract.has(code) ? [refusals, invalid] : [invalid, refusals];
	expect(found.map(refusal => refusal.code)).toEqual([code]);
	expect(none).toEqual([]);
	expect(found[0]).toMatchObject({name: 'r', source: 'static', view: {name: 'r'}});
	expect(found[0]?.reason).toContain('Route "r"');
	expect(found[0]?.view.problem).toMatch(/^config\.yaml:1:\d+: Route "r"/);
	expect(found[0]?.problem).toMatchObject({line: 1, message: found[0]?.reason});
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

test('what signs the address, or with a key of its own, is served with what it needs', () => {
	const key = 'ab'.repeat(32);
	expect(webhookWith(`{signature: discord, secret: ${key}}`).routes.size).toBe(1);
	const twilio = webhookWith('{signature: twilio, secret: x, public_url: "https://a.example/x"}');
	expect(twilio.routes.get('r')).toMatchObject({publicUrl: 'https://a.example/x'});
	const [slip] = webhookWith('{signature: twilio, secret: x, public_url: a.example}').invalid;
	expect(slip?.reason).toContain('must be a URL that starts with http:// or https://');
});

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

test('a platform that is not enabled takes no route out of service', () => {
	expect(webhookWith('{deliver: telegram}').invalid).toEqual([]);
});

test.for([
	['{coalesce: {}}', 'coalesce', '"key" must be text, not empty'],
	['{coalesce: {key: ""}}', 'coalesce', '"key" must not be empty'],
	[
		'{coalesce: {key: k, window_seconds: 0}}',
		'coalesce',
		'"window_seconds" must be more than 0, not 0',
	],
	['{coalesce: on}', 'coalesce', 'must be a mapping, not text'],
	['{signature: strip}', 'signature', 'the preset is not known, did you mean "stripe"'],
	[
		'{signature: hmac-sha256}',
		'signature',
		'must be one of stripe, slack, shopify, linear, bitbucket, discord, dropbox, grafana, hubspot, meta, okta, paddle, pagerduty, sentry, telegram, twilio, twitch, zendesk, zoom, or a mapping with "header"',
	],
	['{signature: pagerdty}', 'signature', 'the preset is not known, did you mean "pagerduty"'],
	[
		'{signature: {header: X-Key, token: true, encoding: hex, signed: "{body}"}}',
		'signature',
		'has "token" together with "encoding", "signed", which say how a signature is made: keep one of them',
	],
	['{signature: 7}', 'signature', 'must be a mapping, not a number'],
	['{signature: {}}', 'signature', '"header" must be text, not empty'],
	[
		'{signature: {header: "x sig"}}',
		'signature',
		`"header" must be a header's name: 1 to 64 letters, digits and hyphens`,
	],
	[
		'{signature: {header: x, algorithm: sha265}}',
		'signature',
		'"algorithm" "sha265" is not known, did you mean "sha256"',
	],
	[
		'{signature: {header: x, encoding: hexx}}',
		'signature',
		'"encoding" "hexx" is not known, did you mean "hex"',
	],
	[
		'{signature: {header: x, prefix: "a\\nb"}}',
		'signature',
		'"prefix" must be at most 64 characters of ASCII',
	],
	[
		'{signature: {header: x, signed: "{timestamp}"}}',
		'signature',
		'"signed" must hold {body} exactly once',
	],
	[
		'{signature: {header: x, signed: "{body}{body}"}}',
		'signature',
		'"signed" must hold {body} exactly once',
	],
	[
		'{signature: {header: x, signed: "{url}.{body}"}}',
		'signature',
		'"signed" can hold no other placeholder than {body}, {timestamp} and {id}, each once',
	],
	[
		'{signature: {header: x, id_header: i, signed: "{id}{id}{body}"}}',
		'signature',
		'"signed" can hold no other placeholder than {body}, {timestamp} and {id}, each once',
	],
	[
		'{signature: {header: x, signed: "{id}.{body}"}}',
		'signature',
		'needs "id_header" beside {id} in "signed"',
	],
	[
		'{signature: {header: x, id_header: i}}',
		'signature',
		'needs {id} in "signed" beside "id_header"; an identifier that is not signed is "id_header" of the route',
	],
	[
		'{signature: {preset: stripe, header: x, encoding: base64, prefix: ""}}',
		'signature',
		'has "preset" together with "prefix", "encoding", which it says itself: keep one of them',
	],
	[
		'{signature: {preset: strip, header: x}}',
		'signature',
		'"preset" "strip" is not known, did you mean "stripe"',
	],
	[
		'{signature: {header: x, signed: "{timestamp}.{body}"}}',
		'signature',
		'needs "timestamp_header" beside {timestamp} in "signed"',
	],
	[
		'{signature: {header: x, timestamp_header: t, signed: "{body}"}}',
		'signature',
		'needs {timestamp} in "signed" beside "timestamp_header": a time that is not signed can be changed by anybody',
	],
	[
		'{signature: {header: x, timestamp_header: X}}',
		'signature',
		'has the same header for the signature and the time',
	],
] as const)('%s: the refusal says what is wrong with %s: %s', ([route, key, problem]) => {
	expect(webhookWith(route).invalid.map(({reason}) => reason)).toEqual([
		`Route "r" has an invalid "${key}": ${problem}`,
	]);
});

test.for([
	['whsec_', 'whsec'],
	['whsec_A', 'whsec'],
	['whsec_AAAAA', 'whsec'],
	['whsec_AAA_', 'whsec'],
	['whsec_AA=A', 'whsec'],
	['whsec_AAA==', 'whsec'],
	['whsec_ AAAA', 'whsec'],
	['whsec_AA==', 'whsec'],
	['whsec_AA', 'whsec'],
	[`whsec_${Buffer.alloc(7).toString('base64')}`, 'whsec'],
	['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD=AAA', 'whsec'],
	['whpk_', 'whpk'],
	[`whpk_${Buffer.alloc(31).toString('base64')}`, 'whpk'],
	[`whpk_${Buffer.alloc(33).toString('base64')}`, 'whpk'],
] as const)(
	'a secret that cannot be decoded is refused by the name of its route, and never shown: %s',
	([secret, prefix]) => {
		for (const route of [
			`{secret: "${secret}"}`,
			`{secret: [fine, "${secret}"]}`,
			`{retired_secrets: [{secret: "${secret}", until: 2026-01-01T00:00:00Z}]}`,
		]) {
			const {invalid: refusals} = webhookWith(route);
			expect(refusals.map(({code}) => code)).toEqual(['secret_invalid']);
			expect(refusals[0]?.reason).toMatch(new RegExp(`^Route "r" has a secret with "${prefix}_"`));
			const encoded = secret.slice(prefix.length + 1);
			expect(encoded !== '' && refusals.some(({reason}) => reason.includes(encoded))).toBe(false);
		}
	},
);

test.for([
	'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
	'whsec_AAAAAAAAAAA=',
	'whsec_AAAAAAAAAAA',
	'whsec',
	'whpk',
	`whpk_${Buffer.alloc(32, 7).toString('base64')}`,
	`whpk_${Buffer.alloc(32, 7).toString('base64').replace('=', '')}`,
])('a secret that can be used is: %s', secret => {
	expect(webhookWith(`{secret: ["${secret}"]}`).refusals).toEqual([]);
});

test.for([
	[Array.from({length: 20}, (_, index) => `secret ${index}`), undefined],
	[
		Array.from({length: 21}, (_, index) => `secret ${index}`),
		'Route "r" has 21 secrets, at most 20 are allowed',
	],
	[Array.from({length: 5}, publicKey), undefined],
	[
		Array.from({length: 6}, publicKey),
		'Route "r" has 6 public keys ("whpk_"), at most 5 are allowed',
	],
] as const)(
	'what each forged request has to be compared with is bounded: %#',
	([secrets, reason]) => {
		const {invalid: refusals} = webhookWith(`{secret: ${JSON.stringify(secrets)}}`);
		expect(refusals.map(refusal => [refusal.code, refusal.reason])).toEqual(
			reason === undefined ? [] : [['secret_invalid', reason]],
		);
		const inherited = webhookWith('{}', {settings: `secret: ${JSON.stringify(secrets)}`});
		expect(inherited.invalid).toHaveLength(refusals.length);
	},
);

test('public keys in hex are bounded as those of Standard Webhooks are', () => {
	const routeWith = (count: number) => {
		const keys = Array.from({length: count}, (_, index) => Buffer.alloc(32, index).toString('hex'));
		return webhookWith(`{signature: discord, secret: ${JSON.stringify(keys)}}`).invalid;
	};

	expect(routeWith(5)).toEqual([]);
	expect(routeWith(6).map(({reason}) => reason)).toEqual([
		'Route "r" has 6 public keys (64 hex digits), at most 5 are allowed',
	]);
});

function publicKey(_: unknown, index: number) {
	return `whpk_${Buffer.alloc(32, index).toString('base64')}`;
}

test('a sender with a scheme of its own is the one who knows how its secret is written', () => {
	expect(webhookWith('{secret: whsec_test_secret, signature: stripe}').refusals).toEqual([]);
	const key = `whpk_${Buffer.alloc(32).toString('base64')}`;
	expect(webhookWith(`{secret: "${key}", signature: stripe}`).invalid).toMatchObject([
		{code: 'secret_invalid', reason: expect.stringContaining('only Standard Webhooks')},
	]);
});

test.for([
	'deliver: log',
	'deliver: email',
	'deliver: wecom, deliver_only: true',
	'overflow: reject',
	'overflow: queue',
	'concurrency: 2',
	'cron_job: j',
	'coalesce: {key: k, window_seconds: 0.5}',
	'coalesce: ',
	'cron_job: ',
	'signature: stripe',
	'signature: ',
	'signature: {header: x-sig}',
	'retired_secrets: ',
	// "the job's own … delivery apply; route-level `deliver`, `deliver_extra`, `skills` are ignored"
	'cron_job: j, deliver: wecom',
	'cron_job: j, deliver: forge_comment',
])('a route with %s is served', setting => {
	expect(webhookWith(`{${setting}}`).refusals).toEqual([]);
});

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
	expect(webhookWith('{profile: default}', {profile: 'ops'}).routes.get('r')?.profile).toBe(
		'default',
	);
});

test('a route gets its defaults, its aliases and its names', () => {
	expect(webhookWith('{}').routes.get('r')).toEqual({
		name: 'r',
		enabled: true,
		profile: 'default',
		source: 'static',
		description: '',
		events: [],
		secrets: ['global'],
		retiredSecrets: [],
		insecure: false,
		filters: [],
		scriptTimeoutMs: 30_000,
		retryOnScriptFailure: false,
		skills: [],
		prefetch: [],
		deliver: 'log',
		deliverExtra: {},
		deliverOnly: false,
		loopLimit: 20,
		loopWindowMs: 600_000,
		mirrorToSession: false,
		overflow: 'reject',
		rateLimit: 30,
		maxBodyBytes: 1_048_576,
		dedupeBody: false,
		cloudevents: false,
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
	expect(
		webhookWith('{cron_job: j, overflow: queue, concurrency: 3, dedupe_body: true}').routes.get(
			'r',
		),
	).toMatchObject({cronJob: 'j', overflow: 'queue', concurrency: 3, dedupeBody: true});
	expect(full?.mirrorToSession, '"counts only when it is exactly `true`"').toBe(false);
});

test.for([
	['{key: a.b}', {key: 'a.b', windowMs: 30_000, maxWaitMs: 300_000}],
	[
		'{key: "{a.b}-{c}", window_seconds: 0.5, max_wait_seconds: 1.25}',
		{key: '{a.b}-{c}', windowMs: 500, maxWaitMs: 1250},
	],
	[
		'{key: k, window_seconds: , max_wait_seconds: }',
		{key: 'k', windowMs: 30_000, maxWaitMs: 300_000},
	],
] as const)(
	'"`window_seconds` … 30, `max_wait_seconds` … 300", "may be fractions": %s',
	([written, coalesce]) => {
		expect(webhookWith(`{coalesce: ${written}}`).routes.get('r')?.coalesce).toEqual(coalesce);
	},
);

const custom = {kind: 'custom', algorithm: 'sha256', prefix: '', encoding: 'hex'} as const;

test.for([
	['stripe', {kind: 'stripe'}],
	['slack', {kind: 'slack'}],
	['shopify', {kind: 'shopify'}],
	['linear', {kind: 'linear'}],
	[
		'{preset: stripe, header: Calendly-Webhook-Signature}',
		{kind: 'stripe', header: 'calendly-webhook-signature'},
	],
	[
		'{header: X-Sig, id_header: X-Id, signed: "{id}{body}"}',
		{...custom, header: 'x-sig', idHeader: 'x-id', signed: '{id}{body}'},
	],
	['{header: X-Sig}', {...custom, header: 'x-sig', signed: '{body}'}],
	[
		'{header: X-Sig, timestamp_header: X-Time}',
		{
			...custom,
			header: 'x-sig',
			timestampHeader: 'x-time',
			timeFormat: 'any',
			signed: '{timestamp}.{body}',
		},
	],
	[
		'{header: x-slack-signature, algorithm: sha512, prefix: "v0=", encoding: base64, timestamp_header: x-t, signed: "v0:{timestamp}:{body}"}',
		{
			kind: 'custom',
			header: 'x-slack-signature',
			algorithm: 'sha512',
			prefix: 'v0=',
			encoding: 'base64',
			timestampHeader: 'x-t',
			timeFormat: 'any',
			signed: 'v0:{timestamp}:{body}',
		},
	],
] as const)('"a route may say how its sender signs": %s', ([written, signature]) => {
	expect(webhookWith(`{signature: ${written}}`).routes.get('r')?.signature).toEqual(signature);
});

test('secrets that were replaced keep their time, and what was no secret does not become one', () => {
	const route = webhookWith(
		`{secret: new, retired_secrets: [{secret: old, until: "2026-01-01T01:00:00+01:00"}, {secret: INSECURE_NO_AUTH, until: 2999-01-01T00:00:00Z}, {secret: " ", until: 2999-01-01T00:00:00Z}]}`,
	).routes.get('r');
	expect(route).toMatchObject({
		secrets: ['new'],
		insecure: false,
		retiredSecrets: [{secret: 'old', until: Date.UTC(2026, 0, 1)}],
	});
});
