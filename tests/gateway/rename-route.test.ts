import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {setSubscriptionPaused} from '../../source/config/subscriptions.ts';
import {systemClock} from '../../source/core/clock.ts';
import type {JsonObject} from '../../source/core/json.ts';
import type {RouteDraft} from '../../source/core/route-editor.ts';
import {startTestGateway, type TestGateway} from '../helpers/gateway.ts';
import {hookSecret} from '../helpers/post.ts';

const subscriptionsIn = ({paths}: TestGateway) =>
	JSON.parse(readFileSync(paths.subscriptions, 'utf8')) as Record<string, JsonObject>;

const renamed = async ({port}: TestGateway, from: string, source: RouteDraft['source']) => {
	const read = await port.readRoute(from, {source});
	if (!read) {
		throw new Error(`no route ${from}`);
	}

	const {fingerprint, definition} = read;
	return {source, fingerprint, definition, from};
};

const yaml = `# mine
platforms:
  webhook:
    enabled: true
    host: 127.0.0.1
    port: 0
    secret: ${hookSecret} # of all
    routes:
      # reviews
      reviews: # by hand
        secret: "first-secret-of-ten" # never said
        events: [pull_request] # few
      "other": {prompt: hi}
`;

test('a subscription gets another name: its entry moves in its place with every key, and the new address alone answers', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {
			first: {prompt: 'x'},
			hook: {prompt: 'y', unheard: [1], rotated_on: '2026-11-01'},
			last: {prompt: 'z'},
		},
	});
	const {port} = gateway;
	const before = subscriptionsIn(gateway)['hook'];
	const draft = await renamed(gateway, 'hook', 'dynamic');

	const plan = await port.planRouteSave('fresh', draft);
	expect(plan.problems).toEqual([]);
	expect(plan.diff.filter(line => /^[-+]/.test(line))).toEqual(['-  "hook": {', '+  "fresh": {']);
	expect(plan.warnings.join('\n')).toContain('keep the name "hook"');
	expect(plan.warnings.join('\n')).toContain('/webhooks/fresh');

	const saved = await port.saveRoute('fresh', draft);
	expect(saved).not.toHaveProperty('secret');
	expect(saved.url).toBe(`${gateway.url()}/webhooks/fresh`);
	expect(Object.entries(subscriptionsIn(gateway)).map(([name]) => name)).toEqual([
		'first',
		'fresh',
		'last',
	]);
	expect(subscriptionsIn(gateway)['fresh']).toEqual(before);
	expect((await gateway.send('fresh', {})).status).toBe(202);
	expect((await gateway.send('hook', {})).status).toBe(404);
	await expect(port.saveRoute('fresh', draft)).rejects.toMatchObject({code: 'route_conflict'});
	await gateway.gateway.idle();
});

test('a route of config.yaml gets another name and other settings in one step; its comments stay', async () => {
	await using gateway = await startTestGateway({config: yaml});
	const {port, paths} = gateway;
	const read = await renamed(gateway, 'reviews', 'static');
	const draft = {...read, definition: {...read.definition, events: ['push']}};

	const plan = await port.planRouteSave('pulls', draft);
	expect(plan.diff.filter(line => /^[-+]/.test(line))).toEqual([
		'-      reviews: # by hand',
		'+      pulls: # by hand',
		'-        events: [pull_request] # few',
		'+        events: [push] # few',
	]);
	expect(plan.movesOthers).toBeUndefined();
	await port.saveRoute('pulls', draft);
	const text = yaml.replace('reviews: #', 'pulls: #').replace('[pull_request]', '[push]');
	expect(readFileSync(paths.config, 'utf8')).toBe(text);
	await port.saveRoute('b', await renamed(gateway, 'other', 'static'));
	expect(readFileSync(paths.config, 'utf8')).toBe(text.replace('"other": {', '"b": {'));
	expect((await port.listRoutes()).map(({name}) => name)).toEqual(['pulls', 'b']);
});

test.for([
	['other', 'is the name of a route that exists'],
	['fixed', 'is the name of a route that exists'],
	['No!', 'Cannot name a route "No!"'],
] as const)(
	'a subscription is not renamed to %s, and nothing is written',
	async ([name, problem]) => {
		await using gateway = await startTestGateway({
			config: {
				platforms: {
					webhook: {
						enabled: true,
						host: '127.0.0.1',
						port: 0,
						secret: hookSecret,
						routes: {fixed: {prompt: 'x'}},
					},
				},
			},
			subscriptions: {hook: {prompt: 'y'}, other: {prompt: 'z'}},
		});
		const before = readFileSync(gateway.paths.subscriptions, 'utf8');
		const draft = await renamed(gateway, 'hook', 'dynamic');

		const {problems} = await gateway.port.checkRoute(name, draft);
		expect(problems).toEqual([{path: '', message: expect.stringContaining(problem)}]);
		await expect(gateway.port.saveRoute(name, draft)).rejects.toMatchObject({
			code: 'route_refused',
		});
		expect(readFileSync(gateway.paths.subscriptions, 'utf8')).toBe(before);
	},
);

test('a route of config.yaml takes no name that is taken in either file', async () => {
	await using gateway = await startTestGateway({
		config: yaml,
		subscriptions: {hook: {prompt: 'y'}},
	});
	const draft = await renamed(gateway, 'reviews', 'static');
	for (const name of ['hook', 'other']) {
		expect((await gateway.port.checkRoute(name, draft)).problems).toEqual([
			{path: '', message: 'is the name of a route that exists: choose another'},
		]);
	}

	expect(readFileSync(gateway.paths.config, 'utf8')).toBe(yaml);
});

test('two that write at once: neither loses what the other did', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {hook: {prompt: 'x'}, other: {prompt: 'y'}},
	});
	const {port, paths} = gateway;
	const [one, two] = [
		await renamed(gateway, 'hook', 'dynamic'),
		await renamed(gateway, 'hook', 'dynamic'),
	];
	const results = await Promise.allSettled([
		port.saveRoute('fresh', one),
		port.saveRoute('newer', two),
		setSubscriptionPaused(paths, 'other', {paused: true, clock: systemClock}),
	]);

	expect(results.map(({status}) => status).toSorted()).toEqual([
		'fulfilled',
		'fulfilled',
		'rejected',
	]);
	const {other, ...rest} = subscriptionsIn(gateway);
	expect(other).toMatchObject({prompt: 'y', enabled: false});
	expect(Object.values(rest)).toMatchObject([{prompt: 'x'}]);
});
