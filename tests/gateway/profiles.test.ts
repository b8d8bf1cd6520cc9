import {mkdirSync, writeFileSync} from 'node:fs';
import {mkdir, readdir, readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test, vi} from 'vitest';
import {homePaths} from '../../source/config/home-paths.ts';
import {systemClock} from '../../source/core/clock.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {startGateway} from '../../source/gateway/gateway.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {type ForgeClient, installForgeClient} from '../helpers/forge-client.ts';
import {gatewayHome, startTestGateway, type TestGateway} from '../helpers/gateway.ts';
import {hookSecret, post} from '../helpers/post.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';

const workSecret = 'the secret of the work profile';

const review = {
	profile: 'work',
	secret: '${HOOK_SECRET}',
	prompt: 'Review {number}: {script_output}',
	script: 'look.sh',
	filters: {field: 'team', in_file: 'teams.txt'},
	skills: ['reviewing'],
	deliver: 'forge_comment',
	deliver_extra: {repo: 'acme/api', pr_number: '{number}'},
};

const nightly = {
	id: 'job_nightly0',
	name: 'nightly',
	schedule: '2099-01-01T00:00:00Z',
	prompt: 'Look back',
};

const skill = (body: string) => `---\nname: reviewing\ndescription: How to review\n---\n${body}\n`;

/** A gateway that serves the profile `work`, whose files say other things than those of the home. */
async function openGateway({
	subscriptions = {review},
	multiplex = true,
}: {
	readonly subscriptions?: Readonly<Record<string, JsonObject>>;
	readonly multiplex?: boolean;
} = {}) {
	const stack = new AsyncDisposableStack();
	const forge: ForgeClient = stack.use(await installForgeClient());
	const model = stack.use(
		await startScriptedModel(Array.from({length: 5}, () => ({text: 'Looks good'}))),
	);
	const home = stack.use(
		await gatewayHome({
			config: {
				gateway: {multiplex_profiles: multiplex},
				model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
			},
			subscriptions: {
				plain: {prompt: 'Plain {number}'},
				mine: {prompt: 'Mine', profile: 'default'},
				...subscriptions,
			},
		}),
	);
	for (const [name, text] of Object.entries({
		'.env': `HOOK_SECRET=not this one, of the home\nGH_TOKEN=token-of-home\n`,
		'scripts/look.sh': 'echo "by the home"',
		'teams.txt': 'others\n',
		'skills/reviewing/SKILL.md': skill('As the home does.'),
		'profiles/work/.env': `HOOK_SECRET='${workSecret}'\nGH_TOKEN=token-of-work\n`,
		'profiles/work/scripts/look.sh': 'echo "by work"',
		'profiles/work/teams.txt': 'core\n',
		'profiles/work/skills/reviewing/SKILL.md': skill('As work does.'),
		'profiles/work/cron/jobs.json': JSON.stringify({jobs: [nightly]}),
	})) {
		await home.write(name, text);
	}

	const gateway = stack.use(
		await startTestGateway({home, environment: {PATH: forge.path, HOME: '/nowhere'}}),
	);
	return {
		...gateway,
		home,
		forge,
		model,
		/** Posts an event to a path, signed with the secret of the work profile. */
		sendTo: async (path: string, {secret = workSecret, payload = {number: 7, team: 'core'}} = {}) =>
			post(`${gateway.url()}${path}`, {payload, secret}),
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

test('"binds the route and its secret to the path /p/<profile>/webhooks/<route_name>": script, list, skill and token are the profile\'s', async () => {
	await using gateway = await openGateway();
	const answer = await gateway.sendTo('/p/work/webhooks/review');
	expect(answer.status).toBe(202);
	const run = await gateway.ended(1);
	expect(run).toMatchObject({state: 'done', profile: 'work', route: 'review'});
	expect(run.plan.prompt).toBe('Review 7: by work');
	expect(JSON.stringify(gateway.model.requests[0]?.body.messages[0])).toContain('As work does.');

	const [call] = await gateway.forge.calls();
	expect(call?.environment['GH_TOKEN']).toBe('token-of-work');
	expect(call?.args).toContain('acme/api');
	const [delivery] = await gateway.port.listDeliveries({limit: 1});
	expect(delivery?.profile).toBe('work');
	const seen = JSON.stringify(gateway.events) + gateway.log.join('\n');
	expect(seen).not.toContain(workSecret);
	expect(seen).not.toContain('token-of-work');
});

test('"every mismatch is byte for byte the unknown route"', async () => {
	await using gateway = await openGateway();
	const unknown = await gateway.sendTo('/webhooks/nobody');
	expect([unknown.status, unknown.text]).toEqual([404, '{"error":"Unknown route"}']);
	const headersOf = ({headers}: {headers: Headers}) =>
		[...headers].filter(([name]) => name !== 'date');
	for (const path of [
		'/webhooks/review',
		'/p/default/webhooks/review',
		'/p/other/webhooks/review',
		'/p/WORK/webhooks/review',
		'/p/work/webhooks/plain',
		'/p/work/webhooks/nobody',
	]) {
		const answer = await gateway.sendTo(path);
		expect([path, answer.status, answer.text, headersOf(answer)]).toEqual([
			path,
			404,
			unknown.text,
			headersOf(unknown),
		]);
	}

	expect(gateway.port.getState().runs).toEqual([]);
	for (const path of ['/webhooks/plain', '/p/default/webhooks/plain', '/p/default/webhooks/mine']) {
		expect((await gateway.sendTo(path, {secret: hookSecret})).status).toBe(202);
	}
});

test('the secret of the home does not open a route of another profile', async () => {
	await using gateway = await openGateway();
	for (const secret of [hookSecret, 'not this one, of the home']) {
		const answer = await gateway.sendTo('/p/work/webhooks/review', {secret});
		expect([answer.status, answer.text]).toEqual([401, '{"error":"Invalid signature"}']);
	}
});

test('"multiplexing off: not reachable anywhere", and no job of a profile is planned', async () => {
	await using gateway = await openGateway({multiplex: false});
	for (const path of ['/webhooks/review', '/p/work/webhooks/review', '/p/default/webhooks/plain']) {
		expect((await gateway.sendTo(path)).status).toBe(404);
	}

	expect((await gateway.port.listRoutes()).find(({name}) => name === 'review')).toMatchObject({
		problem: expect.stringContaining('work'),
	});
	expect(gateway.port.getState().jobs).toEqual([]);
});

test("a secret in a profile's .env that changes counts from then on", async () => {
	await using gateway = await openGateway();
	await gateway.home.write('profiles/work/.env', "HOOK_SECRET='another secret'\n");
	await vi.waitFor(() => {
		expect(gateway.events.map(({type}) => type)).toContain('config-reloaded');
	});
	const path = '/p/work/webhooks/review';
	expect((await gateway.sendTo(path)).status).toBe(401);
	expect((await gateway.sendTo(path, {secret: 'another secret'})).status).toBe(202);
	expect(JSON.stringify(gateway.events)).not.toContain('another secret');
});

test('the gateway fires the jobs of its profiles, and keeps their answers there', async () => {
	await using gateway = await openGateway({
		subscriptions: {
			fire: {profile: 'work', cron_job: 'nightly', secret: '${HOOK_SECRET}', prompt: 'now'},
		},
	});
	expect(gateway.port.getState().jobs).toMatchObject([{profile: 'work', name: 'nightly'}]);
	await expect(gateway.port.runJob('nightly')).rejects.toMatchObject({code: 'job_not_found'});
	await gateway.port.runJob('nightly', {profile: 'work'});
	expect(await gateway.ended(1)).toMatchObject({profile: 'work', state: 'done'});
	const answer = await gateway.sendTo('/p/work/webhooks/fire');
	expect(answer.json).toMatchObject({status: 'accepted', cron_job: 'nightly'});
	expect(await gateway.ended(2)).toMatchObject({profile: 'work', job: {name: 'nightly'}});
	expect(await readdir(gateway.home.file('profiles/work/cron/output/job_nightly0'))).toHaveLength(
		2,
	);
});

const startIn = (gateway: Pick<TestGateway, 'home'>, profile: string) =>
	startGateway({
		clock: systemClock,
		paths: homePaths({environment: {SVC_HOME: gateway.home.path}, profile}),
		environment: {},
		version: '0.0.0-test',
		localServers: [],
	});

test('"holds the lock of each such home": a gateway of the profile is refused and told by whom', async () => {
	await using gateway = await openGateway();
	await using other = startIn(gateway, 'work');
	await expect(other.started).rejects.toMatchObject({
		code: 'gateway_running',
		message: expect.stringContaining(`process ${process.pid} runs one already`),
	});
	expect((await readFile(gateway.home.file('profiles/work/run/gateway.pid'), 'utf8')).trim()).toBe(
		String(process.pid),
	);
	expect((await gateway.sendTo('/p/work/webhooks/review')).status).toBe(202);
});

test('"a profile whose lock another live gateway holds is left to that one (warning)", and taken over when that has ended', async () => {
	await using home = await gatewayHome({config: {gateway: {multiplex_profiles: true}}});
	await home.write('profiles/work/cron/jobs.json', JSON.stringify({jobs: [nightly]}));
	await home.write('profiles/work/config.yaml', JSON.stringify({model: {provider: 'offline'}}));
	const own = startIn({home}, 'work');
	await own.started;
	expect(own.port.getState().jobs).toMatchObject([{profile: 'default', name: 'nightly'}]);

	await using gateway = await startTestGateway({home});
	expect(gateway.port.getState().jobs).toEqual([]);
	const warnings = () => gateway.log.filter(line => line.includes('The jobs of profile "work"'));
	expect(warnings()).toHaveLength(1);
	await expect(gateway.port.runJob('nightly', {profile: 'work'})).rejects.toMatchObject({
		code: 'profile_not_served',
		message: expect.stringContaining(`process ${process.pid} runs one already`),
	});
	await gateway.port.reload();
	expect(warnings()).toHaveLength(1);

	await own[Symbol.asyncDispose]();
	await gateway.port.reload();
	expect(gateway.port.getState().jobs).toMatchObject([{profile: 'work', name: 'nightly'}]);
});

test('a profile that nobody told of is found within half a minute', async () => {
	await using home = await gatewayHome({config: {gateway: {multiplex_profiles: true}}});
	const clock = createFakeClock(Date.now());
	await using gateway = await startTestGateway({home, clock});
	// The first may be found when the files begin to be watched.
	for (const [count, name] of ['late', 'later'].entries()) {
		clock.advance(29_999);
		await gateway.gateway.idle();
		const cron = home.file(`profiles/${name}/cron`);
		mkdirSync(cron, {recursive: true});
		writeFileSync(join(cron, 'jobs.json'), JSON.stringify({jobs: [nightly]}));
		// Who watches waits for a moment of quiet, which this clock does not give.
		clock.advance(1);
		const {jobs} = await gateway.until(state => state.jobs.length === count + 1);
		expect(jobs.map(({profile}) => profile)).toContain(name);
		await gateway.gateway.idle();
	}
});

test('a profile that comes and goes is served, and its home given back', async () => {
	await using gateway = await openGateway();
	await mkdir(gateway.home.file('profiles/late'), {recursive: true});
	await gateway.home.write('profiles/late/cron/jobs.json', JSON.stringify({jobs: [nightly]}));
	await gateway.port.reload();
	expect(gateway.port.getState().jobs.map(({profile}) => profile)).toEqual(['late', 'work']);

	await rm(gateway.home.file('profiles/late'), {recursive: true});
	await gateway.port.reload();
	expect(gateway.port.getState().jobs.map(({profile}) => profile)).toEqual(['work']);
	await using later = startIn(gateway, 'late');
	await later.started;
});
