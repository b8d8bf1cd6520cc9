import {readFileSync, writeFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import type {JsonObject} from '../../source/core/json.ts';
import type {RouteDraft} from '../../source/core/route-editor.ts';
import {connectGateway} from '../../source/gateway/control/remote-port.ts';
import type {GatewayPort} from '../../source/gateway/port.ts';
import {startTestGateway, type TestGateway} from '../helpers/gateway.ts';
import {hookSecret} from '../helpers/post.ts';

const subscriptionsIn = ({paths}: TestGateway) =>
	JSON.parse(readFileSync(paths.subscriptions, 'utf8')) as Record<string, JsonObject>;

const draftOf = async (
	port: GatewayPort,
	name: string,
	changes: JsonObject = {},
): Promise<RouteDraft> => {
	const read = await port.readRoute(name);
	if (!read) {
		throw new Error(`no route ${name}`);
	}

	const {source, fingerprint, definition} = read;
	return {source, fingerprint, definition: {...definition, ...changes}};
};

const newDraft = (definition: JsonObject): RouteDraft => ({
	source: 'dynamic',
	fingerprint: 'none',
	definition,
});

const yaml = `# mine
platforms:
  webhook:
    enabled: true
    host: 127.0.0.1
    port: 0
    secret: ${hookSecret} # of all
    routes:
      # reviews
      gh-review:
        secret: "first-secret-of-ten" # never said
        events: [pull_request] # few
        prompt: |
          Look at {number}
          and say
      other: {prompt: hi}


model: {provider: offline}
`;

test('a route is read as it is written, with a mark in the place of each secret', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {
			hook: {
				prompt: 'Look at {number}',
				secret: ['first-secret', '${HOOK_SECRET}'],
				retired_secrets: [{secret: 'older-secret', until: '2026-12-24T18:00:00Z'}],
				unknown_token: 'token-of-somebody',
			},
		},
		environment: {HOOK_SECRET: 'from-environment'},
	});

	const read = await gateway.port.readRoute('hook');

	expect(read).toMatchObject({
		name: 'hook',
		source: 'dynamic',
		line: 1,
		lines: {prompt: 1, secret: 1, retired_secrets: 1, unknown_token: 1},
	});
	expect(read?.definition).toEqual({
		prompt: 'Look at {number}',
		secret: ['<kept: secret.0, 12 bytes>', '${HOOK_SECRET}'],
		retired_secrets: [
			{secret: '<kept: retired_secrets.0.secret, 12 bytes>', until: '2026-12-24T18:00:00Z'},
		],
		unknown_token: '<kept: unknown_token, 17 bytes>',
	});
	expect(await gateway.port.readRoute('nowhere')).toBeUndefined();
});

test('a draft is saved with the secrets that it keeps, and every other entry stays', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {hook: {prompt: 'old', unheard: [1]}, other: {prompt: 'mine'}},
	});
	const {port} = gateway;

	const draft = await draftOf(port, 'hook', {prompt: 'new {number}'});
	const plan = await port.planRouteSave('hook', draft);
	const saved = await port.saveRoute('hook', draft);

	expect(plan).toMatchObject({problems: [], file: gateway.paths.subscriptions});
	expect(plan.diff.filter(line => /^[-+]/.test(line))).toEqual([
		'-    "prompt": "old",',
		'+    "prompt": "new {number}",',
	]);
	expect(saved).not.toHaveProperty('secret');
	expect(saved.url).toBe(`${gateway.url()}/webhooks/hook`);
	expect(subscriptionsIn(gateway)).toEqual({
		hook: {prompt: 'new {number}', unheard: [1], secret: hookSecret},
		other: {prompt: 'mine', secret: hookSecret},
	});
	expect((await gateway.send('hook', {number: 7})).status).toBe(202);
});

test('a new subscription gets a secret, which is told once and is in no diff', async () => {
	await using gateway = await startTestGateway();
	const {port} = gateway;
	const draft = newDraft({prompt: 'look', events: ['push']});

	const plan = await port.planRouteSave('fresh', draft);
	const saved = await port.saveRoute('fresh', draft);

	expect(plan.diff.join('\n')).toMatch(/\+ {4}"secret": "<new secret, 43 bytes>"/);
	expect(saved.secret).toMatch(/^[\w-]{43}$/);
	expect(saved.curl).toContain(`${gateway.url()}/webhooks/fresh`);
	expect(subscriptionsIn(gateway)['fresh']).toEqual({
		prompt: 'look',
		events: ['push'],
		secret: saved.secret,
		rotated_on: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
	});
	expect(plan.diff.join('\n')).toContain('+    "rotated_on": ');
	expect(JSON.stringify(await port.readRoute('fresh'))).not.toContain(saved.secret);
	await expect(port.saveRoute('fresh', draft)).rejects.toThrow('there is one of that name');
});

test('a route is created in config.yaml, whose comments stay, with a secret of its own', async () => {
	await using gateway = await startTestGateway({config: yaml, subscriptions: {hook: {}}});
	const {port, paths} = gateway;
	const draft: RouteDraft = {...newDraft({prompt: 'look', events: ['push']}), source: 'static'};

	const plan = await port.planRouteSave('fresh', draft);
	expect(plan.problems).toEqual([]);
	expect(plan.diff.filter(line => line.startsWith('-'))).toEqual(
		plan.diff.filter(line => line.startsWith('---')),
	);
	expect(plan.diff.join('\n')).toMatch(/\+ {6}fresh:\n\+ {8}prompt: look/);
	expect(plan.diff.join('\n')).toContain('<new secret, 43 bytes>');

	const {secret = '', file} = await port.saveRoute('fresh', draft);
	expect(file).toBe(paths.config);
	const text = readFileSync(paths.config, 'utf8');
	expect(text).toContain(`secret: ${secret}`);
	expect(text).toContain('# never said');
	expect(text).toContain('      # reviews\n');
	expect((await port.listRoutes()).find(({name}) => name === 'fresh')).toMatchObject({
		source: 'static',
		events: ['push'],
	});
	await expect(port.saveRoute('fresh', draft)).rejects.toMatchObject({code: 'route_conflict'});
	expect((await port.checkRoute('hook', draft)).problems[0]?.message).toContain('that exists');
	expect((await port.checkRoute('No way', draft)).problems[0]?.message).toContain('a-z, 0-9');
	expect((await port.checkRoute('gh-review', newDraft({}))).problems[0]?.message).toContain(
		'that exists',
	);
});

test('what somebody else changed meanwhile is not written over', async () => {
	await using gateway = await startTestGateway({subscriptions: {hook: {prompt: 'old'}, other: {}}});
	const {port} = gateway;
	const [mine, theirs, elsewhere] = await Promise.all([
		draftOf(port, 'hook', {prompt: 'mine'}),
		draftOf(port, 'hook', {description: 'theirs'}),
		draftOf(port, 'other', {description: 'beside'}),
	]);

	await Promise.all([port.saveRoute('hook', theirs), port.saveRoute('other', elsewhere)]);

	await expect(port.saveRoute('hook', mine)).rejects.toMatchObject({code: 'route_conflict'});
	await expect(port.planRouteSave('hook', mine)).rejects.toMatchObject({code: 'route_conflict'});
	expect(subscriptionsIn(gateway)).toMatchObject({
		hook: {prompt: 'old', description: 'theirs'},
		other: {description: 'beside'},
	});
});

test('a file that does not parse is never overwritten', async () => {
	await using gateway = await startTestGateway({subscriptions: {hook: {prompt: 'old'}}});
	const {port, paths} = gateway;
	const draft = await draftOf(port, 'hook', {prompt: 'new'});
	writeFileSync(paths.subscriptions, '{"hook": {');

	await expect(port.saveRoute('hook', draft)).rejects.toMatchObject({code: 'subscriptions_broken'});
	await expect(port.readRoute('hook', {source: 'dynamic'})).rejects.toMatchObject({
		code: 'subscriptions_broken',
	});
	expect(readFileSync(paths.subscriptions, 'utf8')).toBe('{"hook": {');
});

test.for<readonly [string, JsonObject, string, string]>([
	[
		'deliver_only without a target',
		{deliver_only: true},
		'deliver_only',
		'has "deliver_only" with',
	],
	['a regex that does not compile', {filters: [{field: 'a', regex: '('}]}, 'filters.0.regex', ''],
	['an empty secret', {secret: ''}, 'secret', 'has an empty secret'],
	['exclusive keys', {cron_job: 'x', coalesce: {key: 'a'}}, 'coalesce', 'has "coalesce" together'],
	['an unknown job', {cron_job: 'nightly'}, 'cron_job', 'Cannot find job "nightly"'],
	['a mark that keeps nothing', {secret: '<kept: secret.4, 9 bytes>'}, 'secret', 'keeps a secret'],
	// Nothing but a secret can be fetched by a mark.
	['a mark of what is no secret', {secret: '<kept: prompt, 3 bytes>'}, 'secret', 'keeps a secret'],
])(
	'%s is a problem of its field, in a subscription and in config.yaml',
	async ([, changes, path, says]) => {
		await using gateway = await startTestGateway({
			config: yaml,
			subscriptions: {hook: {prompt: 'old'}},
		});
		const {port} = gateway;
		const before = readFileSync(gateway.paths.config, 'utf8');

		for (const name of path === 'cron_job' ? ['hook'] : ['hook', 'gh-review']) {
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			const draft = await draftOf(port, name, changes);
			// oxlint-disable-next-line no-await-in-loop -- as above
			const {problems} = await port.checkRoute(name, draft);
			expect(problems).toContainEqual({path, message: expect.stringContaining(says) as string});
			// oxlint-disable-next-line no-await-in-loop -- as above
			await expect(port.saveRoute(name, draft)).rejects.toMatchObject({code: 'route_refused'});
		}

		expect(readFileSync(gateway.paths.config, 'utf8')).toBe(before);
		expect(subscriptionsIn(gateway)['hook']).toEqual({prompt: 'old', secret: hookSecret});
	},
);

test('"Edits the program makes to `config.yaml` keep the user\'s comments and order": a static route is edited in its place', async () => {
	await using gateway = await startTestGateway({config: yaml});
	const {port} = gateway;

	const draft = await draftOf(port, 'gh-review', {
		prompt: 'Look again\nat {number}\n',
		events: ['pull_request', 'push'],
	});
	const plan = await port.planRouteSave('gh-review', draft);
	await port.saveRoute('gh-review', draft);

	expect(plan.diff).toEqual([
		'@@ -10,6 +10,6 @@',
		'       gh-review:',
		'         secret: "<secret, 19 bytes>" # never said',
		'-        events: [pull_request] # few',
		'+        events: [pull_request, push] # few',
		'         prompt: |',
		'-          Look at {number}',
		'-          and say',
		'+          Look again',
		'+          at {number}',
	]);
	expect(plan).not.toHaveProperty('movesOthers');
	expect(readFileSync(gateway.paths.config, 'utf8')).toBe(
		yaml
			.replace('[pull_request]', '[pull_request, push]')
			.replace('Look at {number}\n          and say', 'Look again\n          at {number}'),
	);
	expect(gateway.port.getState().routes.find(({name}) => name === 'gh-review')?.events).toEqual([
		'pull_request',
		'push',
	]);
});

test('a secret cannot be fetched into a prompt, and one that is replaced is in no diff', async () => {
	await using gateway = await startTestGateway({subscriptions: {hook: {}}});
	const {port} = gateway;

	const draft = await draftOf(port, 'hook', {
		prompt: '<kept: secret, 9 bytes>',
		secret: 'another-one-of-mine',
	});
	const {diff} = await port.planRouteSave('hook', draft);
	await port.saveRoute('hook', draft);

	expect(diff.join('\n')).not.toContain('another-one');
	expect(diff.join('\n')).not.toContain(hookSecret);
	expect(subscriptionsIn(gateway)['hook']).toEqual({
		prompt: '<kept: secret, 9 bytes>',
		secret: 'another-one-of-mine',
		rotated_on: expect.any(String),
	});

	const {fingerprint} = await draftOf(port, 'hook');
	await port.saveRoute('hook', {
		source: 'dynamic',
		fingerprint,
		definition: {prompt: 'no own secret'},
	});
	expect(subscriptionsIn(gateway)['hook']).toEqual({prompt: 'no own secret'});
});

test('a draft is shown with a stored delivery: decision, prompt, and the places of keys that are not there', async () => {
	await using gateway = await startTestGateway({subscriptions: {hook: {prompt: 'old'}}});
	const {port} = gateway;
	await gateway.send('hook', {number: 7, user: {login: 'ann'}}, {'x-github-event': 'issues'});
	const [delivery] = await port.listDeliveries({limit: 1});
	const show = async (changes: JsonObject) =>
		port.previewRoute('hook', {
			...(await draftOf(port, 'hook', changes)),
			delivery: delivery?.id ?? '',
		});

	expect(
		await show({prompt: '#{number} of {usr.login}', deliver_extra: {chat_id: '{user.login}'}}),
	).toMatchObject({
		fate: 'accepted',
		prompt: '#7 of {usr.login}',
		unresolved: [{key: 'usr.login', at: 6}],
		extra: {chat_id: 'ann'},
	});
	expect(await show({filters: [{field: 'number', equals: 8}]})).toMatchObject({
		fate: 'ignored:filter',
		trace: [{step: 'body'}, {step: 'event'}, {step: 'filter', verdict: 'stop'}],
		prompt: 'old',
	});
	expect(await show({events: 5})).toMatchObject({
		problem: expect.stringContaining('events') as string,
	});
	await expect(
		port.previewRoute('hook', {...(await draftOf(port, 'hook')), delivery: 'nowhere'}),
	).rejects.toMatchObject({code: 'delivery_not_found'});
	for (let refused = 0; refused < 20; refused++) {
		// oxlint-disable-next-line no-await-in-loop -- each is one of the newest
		await gateway.send('hook', {}, {'x-hub-signature-256': 'sha256=00'});
	}

	expect(await port.listDeliveries({limit: 1})).toMatchObject([{status: 401}]);
	expect(await port.listPayloadKeys('hook')).toMatchObject({
		deliveries: 1,
		keys: [
			{key: 'number', count: 1, sample: '7'},
			{key: 'user', sample: '{…}'},
			{key: 'user.login', sample: 'ann'},
		],
	});
});

test('a draft is tested with what came: what passes, what changes, and which keys are missing', async () => {
	await using gateway = await startTestGateway({subscriptions: {hook: {prompt: 'old'}}});
	const {port} = gateway;
	for (const number of [1, 2, 3]) {
		// oxlint-disable-next-line no-await-in-loop -- in this order
		await gateway.send('hook', {number});
	}

	const draft = await draftOf(port, 'hook', {
		prompt: '{number} {missing}',
		filters: [{field: 'number', not_equals: 2}],
	});

	const result = await port.backtestRoute('hook', draft);
	expect(result).toMatchObject({
		deliveries: 3,
		leftOut: 0,
		today: {passed: 3, runs: 3},
		edited: {passed: 2, runs: 2},
		medianPrompt: 11,
		unresolved: ['missing'],
		changed: 1,
		promptsChanged: 2,
	});
	expect(result.changes).toMatchObject([{today: 'accepted', edited: 'ignored:filter'}]);
	expect(
		await port.backtestRoute('new', {...newDraft({prompt: 'x'}), traffic: 'hook', last: 2}),
	).toMatchObject({
		deliveries: 2,
	});
});

test('all of it works over the socket', async () => {
	await using gateway = await startTestGateway({config: yaml});
	await using port = await connectGateway({clock: systemClock}, gateway.paths);

	expect((await port.listRouteFields()).map(({path}) => path.join('.'))).toContain('coalesce.key');
	const draft = await draftOf(port, 'gh-review', {description: 'for people'});
	expect(await port.checkRoute('gh-review', draft)).toEqual({problems: [], warnings: []});
	await port.saveRoute('gh-review', draft);
	expect(readFileSync(gateway.paths.config, 'utf8')).toContain('description: for people');
	expect(await port.readRoute('nowhere')).toBeUndefined();
	expect(await port.readTargetProblem('log')).toBeUndefined();
	expect(await port.readTargetProblem('sms')).toContain('is not enabled');
	await expect(port.saveRoute('gh-review', draft)).rejects.toMatchObject({code: 'route_conflict'});
});

test('what of one setting has no effect is told with its key, and why nothing reaches a target', async () => {
	await using gateway = await startTestGateway({config: yaml});
	const {port} = gateway;
	for (const draft of [
		await draftOf(port, 'gh-review', {toolsets: ['nothing-known']}),
		newDraft({toolsets: ['nothing-known']}),
	]) {
		const name = draft.source === 'static' ? 'gh-review' : 'fresh';
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const {warnings, notes = []} = await port.checkRoute(name, draft);
		expect(notes).toMatchObject([{path: 'toolsets'}]);
		expect(warnings.join('\n')).toContain(notes[0]?.message);
	}

	expect(await port.readTargetProblem('log')).toBeUndefined();
	expect(await port.readTargetProblem('telegram', {profile: 'default'})).toBe(
		'platform "telegram" is not enabled; see platforms.telegram',
	);
});

test('what a preview says of `deliver_extra` holds no secret, neither its own nor one that a draft keeps there', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {
			hook: {prompt: 'p', deliver_extra: {api_token: 'token-of-the-target', url: '{n}'}},
		},
	});
	const {port} = gateway;
	await gateway.send('hook', {n: 7});
	const [delivery] = await port.listDeliveries({limit: 1});
	const show = async (changes: JsonObject) =>
		port.previewRoute('hook', {
			...(await draftOf(port, 'hook', changes)),
			delivery: delivery?.id ?? '',
		});

	expect((await show({})).extra).toEqual({api_token: '<secret, 19 bytes>', url: '7'});
	const kept = '<kept: secret, 9 bytes>';
	const {extra} = await show({deliver_extra: {tokens: [kept], nested: {secret: kept}}});
	expect(extra).toEqual({
		tokens: [`<secret, ${hookSecret.length} bytes>`],
		nested: {secret: `<secret, ${hookSecret.length} bytes>`},
	});
});

test('nor is a secret that is written otherwise in a text than in its own place', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {hook: {secret: String.raw`it's "told\twice"`}},
	});
	const {port} = gateway;

	const {diff} = await port.planRouteSave(
		'hook',
		await draftOf(port, 'hook', {description: String.raw`it's "told\twice", see there`}),
	);

	expect(diff.join('\n')).toContain('"description": "<hidden>, see there"');
});

test('a list below the name of a secret is a list of secrets', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {hook: {deliver_extra: {tokens: ['one-of-them', '${OTHER}']}}},
	});

	expect((await gateway.port.readRoute('hook'))?.definition['deliver_extra']).toEqual({
		tokens: ['<kept: deliver_extra.tokens.0, 11 bytes>', '${OTHER}'],
	});
});

test('a switch that is called a token is none, and is kept by a copy of the route', async () => {
	const signature = {header: 'x-gitlab-token', prefix: '', token: true};
	await using gateway = await startTestGateway({
		subscriptions: {hook: {secret: 'first-secret', signature}},
	});
	const {port} = gateway;
	const read = await port.readRoute('hook');
	expect(read?.definition).toMatchObject({secret: '<kept: secret, 12 bytes>', signature});

	const {diff} = await port.planRouteSave(
		'copy',
		newDraft({...read?.definition, secret: 'second-secret'}),
	);

	expect(diff).toContain('+    "secret": "<new secret, 13 bytes>",');
	expect(diff).toContain('+      "token": true');
});

test('a number below the name of a secret is one that nobody put in quotes', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {hook: {deliver_extra: {password: 8_231_904}}},
	});

	expect((await gateway.port.readRoute('hook'))?.definition['deliver_extra']).toEqual({
		password: '<kept: deliver_extra.password, 7 bytes>',
	});
});

test('of a line that is commented out a switch is told, and a secret is not', async () => {
	await using gateway = await startTestGateway({
		config: yaml.replace(
			'# never said',
			'# never said\n        # token: true # of GitLab\n        # token: true-blue',
		),
	});
	const {port} = gateway;

	const {diff} = await port.planRouteSave(
		'gh-review',
		await draftOf(port, 'gh-review', {events: []}),
	);

	expect(diff).toContain('         # token: true # of GitLab');
	expect(diff).toContain('         # token: <hidden>');
});

test('a secret that is commented out is in no diff', async () => {
	await using gateway = await startTestGateway({
		config: yaml.replace('# never said', '# never said\n        # secret: the-one-before'),
	});
	const {port} = gateway;

	const {diff} = await port.planRouteSave(
		'gh-review',
		await draftOf(port, 'gh-review', {events: []}),
	);

	expect(diff).toContain('         # secret: <hidden>');
	expect(diff.join('\n')).not.toContain('the-one-before');
});

test('a secret that is known is in no diff, wherever somebody wrote it down', async () => {
	await using gateway = await startTestGateway({
		config: yaml
			.replace('"first-secret-of-ten" # never said', '"abc" # was abc, then first-secret-of-ten')
			.replace(
				'events:',
				'retired_secrets: [{secret: first-secret-of-ten, until: "2026-01-01T00:00:00Z"}]\n        events:',
			),
	});
	const {port} = gateway;

	const {diff} = await port.planRouteSave(
		'gh-review',
		await draftOf(port, 'gh-review', {description: 'no longer first-secret-of-ten', events: []}),
	);

	expect(diff.join('\n')).toContain('# was <hidden>, then <hidden>');
	expect(diff.join('\n')).toContain('description: no longer <hidden>');
	expect(diff.join('\n')).not.toMatch(/\babc\b|first-secret-of-ten/);
});

test('a draft of a paused route is shown and tested as what it would be, and says that it is paused', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {hook: {prompt: 'Look at {number}', enabled: false}},
	});
	const {port} = gateway;
	await gateway.send('hook', {number: 7});
	const [stored] = await port.listDeliveries({limit: 1});
	const draft = await draftOf(port, 'hook');

	const preview = await port.previewRoute('hook', {...draft, delivery: stored?.id ?? ''});
	expect(preview).toMatchObject({fate: 'accepted', prompt: 'Look at 7'});
	expect(preview.trace).toContainEqual(
		expect.objectContaining({
			step: 'dispatch',
			verdict: 'stop',
			detail: expect.stringContaining('paused'),
		}),
	);
	expect(preview.trace?.some(({verdict, step}) => step === 'dispatch' && verdict === 'pass')).toBe(
		false,
	);
	const backtest = await port.backtestRoute('hook', draft);
	expect(backtest).toMatchObject({edited: {passed: 1}, notes: [expect.stringContaining('paused')]});
});

test('a draft that is nested too deep is a problem of its own', async () => {
	await using gateway = await startTestGateway({subscriptions: {hook: {prompt: 'old'}}});
	await using remote = await connectGateway({clock: systemClock}, gateway.paths);
	const nested = (levels: number) =>
		JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as JsonObject[string];

	for (const [port, deep] of [
		[gateway.port, nested(5000)],
		[remote, nested(1000)],
	] as const) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const draft = await draftOf(port, 'hook', {deep});
		// oxlint-disable-next-line no-await-in-loop -- as above
		expect((await port.checkRoute('hook', draft)).problems).toMatchObject([
			{
				path: expect.stringMatching(/^deep\.0/) as string,
				message: expect.stringContaining('deeper') as string,
			},
		]);
		// oxlint-disable-next-line no-await-in-loop -- as above
		await expect(port.saveRoute('hook', draft)).rejects.toMatchObject({code: 'route_refused'});
	}
});
