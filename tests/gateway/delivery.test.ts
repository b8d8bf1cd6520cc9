import {expect, test} from 'vitest';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {installForgeClient} from '../helpers/forge-client.ts';
import {startTestGateway} from '../helpers/gateway.ts';
import {openMailbox} from '../helpers/mailbox.ts';
import {startScriptedModel, type ScriptedModel} from '../helpers/scripted-model.ts';
import {startMs} from '../store/samples.ts';

const modelOf = ({baseUrl}: ScriptedModel) => ({
	provider: 'openai-compatible',
	name: 'scripted-1',
	base_url: baseUrl,
});

const review = {
	prompt: 'Review {repository.full_name}#{number}: {title}',
	deliver: 'forge_comment',
	deliver_extra: {repo: '{repository.full_name}', pr_number: '{number}'},
};

const pullRequest = {
	repository: {full_name: 'acme/api'},
	number: 7,
	title: '$(touch /tmp/svc-pwned) `id`; rm -rf / #',
};

test('"posts the response as a comment through <forge_cli>": argv exact, the body on stdin, no shell', async () => {
	await using forge = await installForgeClient();
	const text = 'Fine: $(touch /tmp/svc-pwned) `id` ; && "quoted" \'too\'\n\n- item';
	await using model = await startScriptedModel([{text}]);
	await using gateway = await startTestGateway({
		config: {model: modelOf(model)},
		subscriptions: {review},
		environment: {PATH: forge.path, HOME: '/nowhere', GH_TOKEN: 'token-of-gh', OTHER_KEY: 'hidden'},
	});
	expect((await gateway.send('review', pullRequest)).status).toBe(202);
	expect((await gateway.ended(1)).state).toBe('done');

	const [call, ...more] = await forge.calls();
	expect(more).toEqual([]);
	expect(call?.args).toEqual(['issue', 'comment', '7', '--repo', 'acme/api', '--body-file', '-']);
	expect(call?.text).toBe(text);
	expect(call?.environment).toMatchObject({GH_TOKEN: 'token-of-gh'});
	expect(call?.environment).not.toHaveProperty('OTHER_KEY');
	expect(gateway.log.join('\n')).not.toContain('token-of-gh');
	expect(model.requests[0]?.body.messages.at(-1).content).toBe(
		`Review acme/api#7: ${pullRequest.title}`,
	);
});

test.for([
	['a repository that is an option', {repository: {full_name: '--help'}}],
	['a repository with a command', {repository: {full_name: 'acme/api; touch /tmp/svc-pwned'}}],
	['a number that is an option', {number: '--web'}],
	['a number with a command', {number: '7 && touch /tmp/svc-pwned'}],
	['a repository that is missing', {repository: {}}],
] as const)(
	'%s reaches no client and costs no answer: the run has failed, and says why',
	async ([, strange]) => {
		await using forge = await installForgeClient();
		await using model = await startScriptedModel([{text: 'Fine'}]);
		await using gateway = await startTestGateway({
			config: {model: modelOf(model)},
			subscriptions: {review},
			environment: {PATH: forge.path},
		});
		await gateway.send('review', {...pullRequest, ...strange});
		const run = await gateway.ended(1);
		expect(run).toMatchObject({state: 'failed', deliveryAttempt: 0});
		expect(model.requests).toEqual([]);
		expect(run.error).toContain('deliver_extra.');
		expect(await forge.calls()).toEqual([]);
	},
);

test('"a delivery that fails is retried with backoff (default 3 tries over 10 minutes), then dead, visible and replayable"', async () => {
	await using forge = await installForgeClient();
	await forge.fail('HTTP 503: try again later');
	await using model = await startScriptedModel([{text: 'Fine'}]);
	const clock = createFakeClock(startMs);
	await using gateway = await startTestGateway({
		config: {model: modelOf(model)},
		subscriptions: {review},
		environment: {PATH: forge.path},
		clock,
	});
	await gateway.send('review', pullRequest, {'x-github-delivery': 'once'});
	await gateway.gateway.idle();
	expect(await gateway.port.getRun(1)).toMatchObject({
		state: 'delivering',
		deliveryAttempt: 1,
		nextAttemptAt: startMs + 120_000,
	});
	clock.advance(120_000);
	await gateway.gateway.idle();
	expect(await gateway.port.getRun(1)).toMatchObject({
		deliveryAttempt: 2,
		nextAttemptAt: startMs + 600_000,
	});
	clock.advance(480_000);
	await gateway.gateway.idle();
	const run = await gateway.port.getRun(1);
	expect(run).toMatchObject({
		state: 'dead',
		deliveryAttempt: 3,
		error: expect.stringContaining('503'),
	});
	expect(await forge.calls()).toHaveLength(3);
	expect(model.requests).toHaveLength(1);
	const {runs} = gateway.port.getState();
	expect(runs).toMatchObject([{state: 'dead'}]);

	await forge.fail(undefined);
	expect(await gateway.port.retryRun(1)).toBe(true);
	await gateway.gateway.idle();
	expect((await gateway.port.getRun(1))?.state).toBe('done');
	expect((await forge.calls()).map(({text}) => text)).toEqual(['Fine', 'Fine', 'Fine', 'Fine']);
	expect(model.requests).toHaveLength(1);
});

test('"an id whose earlier attempt failed for good is accepted again"', async () => {
	await using forge = await installForgeClient();
	await forge.fail('HTTP 401: Bad credentials');
	await using model = await startScriptedModel([{text: 'Fine'}, {text: 'Fine again'}]);
	await using gateway = await startTestGateway({
		config: {model: modelOf(model)},
		subscriptions: {review},
		environment: {PATH: forge.path},
	});
	const send = async () => gateway.send('review', pullRequest, {'x-github-delivery': 'same'});
	expect((await send()).json.status).toBe('accepted');
	expect((await gateway.ended(1)).state).toBe('dead');
	await forge.fail(undefined);
	expect((await send()).json.status).toBe('accepted');
	expect((await gateway.ended(2)).state).toBe('done');
	expect((await send()).json.status).toBe('duplicate');
});

const mailConfig = (port: number) => ({
	webhook: {enabled: true, host: '127.0.0.1', port: 0},
	email: {
		enabled: true,
		from: 'Gateway <svc@example.org>',
		home_channel: 'ops@example.org',
		smtp: {host: '127.0.0.1', port},
	},
});

test('an answer goes out as mail, to whom the payload names, with nothing of the payload in a header', async () => {
	await using mailbox = await openMailbox();
	await using model = await startScriptedModel([{text: 'Grüße\nzweite Zeile'}]);
	await using gateway = await startTestGateway({
		config: {model: modelOf(model), platforms: mailConfig(mailbox.port)},
		subscriptions: {
			mail: {
				prompt: 'Say hello to {name}',
				deliver: 'email',
				deliver_extra: {chat_id: '{address}', subject: 'Hello {name}'},
			},
		},
	});
	await gateway.send('mail', {
		name: 'Zoë\r\nBcc: everybody@example.org',
		address: 'zoe@example.org',
	});
	expect((await gateway.ended(1)).state).toBe('done');
	expect(mailbox.mails).toHaveLength(1);
	const [{from, to, mail} = {from: '', to: [], mail: undefined}] = mailbox.mails;
	expect({from, to}).toEqual({from: 'svc@example.org', to: ['zoe@example.org']});
	expect(mail?.text?.trim()).toBe('Grüße\nzweite Zeile');
	expect(mail?.subject).toContain('Hello Zoë');
	expect(mail?.bcc ?? []).toEqual([]);
	expect(mail?.headers.some(({key}) => key === 'bcc')).toBe(false);
	expect(gateway.port.getState().platforms).toMatchObject([{name: 'email', state: 'connected'}]);
});

test('a platform that is down does not stop the gateway: its state is shown, the delivery is tried again', async () => {
	const closed = await openMailbox();
	await closed[Symbol.asyncDispose]();
	const clock = createFakeClock(startMs);
	await using model = await startScriptedModel([{text: 'Hello'}]);
	await using gateway = await startTestGateway({
		config: {model: modelOf(model), platforms: mailConfig(closed.port)},
		subscriptions: {mail: {prompt: 'x', deliver: 'email'}, other: {prompt: 'x'}},
		clock,
	});
	const {platforms} = await gateway.until(({platforms: [mail]}) => mail?.state === 'failed');
	expect(platforms).toMatchObject([{name: 'email', state: 'failed'}]);
	await gateway.send('mail', {});
	await gateway.until(({runs}) => runs.some(({id, state}) => id === 1 && state === 'delivering'));
	expect((await gateway.port.status()).platforms).toEqual(platforms);
	expect((await gateway.send('other', {})).status).toBe(202);
});

const direct = {
	prompt: 'Deployed {version}',
	deliver: 'email',
	deliver_only: true,
	deliver_extra: {chat_id: 'ops@example.org'},
};

test('"deliver_only: no agent runs; the rendered prompt is the literal message delivered" is 200 with the target', async () => {
	await using mailbox = await openMailbox();
	await using model = await startScriptedModel();
	await using gateway = await startTestGateway({
		config: {model: modelOf(model), platforms: mailConfig(mailbox.port)},
		subscriptions: {direct},
	});
	const answer = await gateway.send('direct', {version: '1.2'}, {'x-github-delivery': 'd-1'});
	expect([answer.status, answer.json]).toEqual([
		200,
		{status: 'delivered', route: 'direct', target: 'email', delivery_id: 'd-1'},
	]);
	expect(mailbox.mails.map(({mail}) => mail.text?.trim())).toEqual(['Deployed 1.2']);
	const again = await gateway.send('direct', {version: '1.2'}, {'x-github-delivery': 'd-1'});
	expect([again.status, again.json]).toEqual([200, {status: 'duplicate', delivery_id: 'd-1'}]);
	expect(mailbox.mails).toHaveLength(1);
	expect(await gateway.port.listRuns({limit: 10})).toEqual([]);
	expect(model.requests).toEqual([]);
});

test('"deliver_only failed: 502, the reason only in the log; the id is not consumed, so the sender\'s retry is delivered"', async () => {
	await using mailbox = await openMailbox();
	const closed = await openMailbox();
	await closed[Symbol.asyncDispose]();
	await using gateway = await startTestGateway({
		config: {platforms: mailConfig(closed.port)},
		subscriptions: {direct},
	});
	const answer = await gateway.send('direct', {version: '1.2'}, {'x-github-delivery': 'd-2'});
	expect([answer.status, answer.json]).toEqual([
		502,
		{error: 'Delivery failed', delivery_id: 'd-2'},
	]);
	expect(gateway.log.join('\n')).toMatch(/ECONNREFUSED|refused|reach/);

	const mended = JSON.parse(await gateway.home.read('config.yaml'));
	mended.platforms = mailConfig(mailbox.port);
	await gateway.home.write('config.yaml', JSON.stringify(mended));
	await gateway.port.reload();
	const again = await gateway.send('direct', {version: '1.2'}, {'x-github-delivery': 'd-2'});
	expect([again.status, again.json.status]).toEqual([200, 'delivered']);
	expect(mailbox.mails).toHaveLength(1);
});

test('what the offline engine says goes to the log only, "unless model.allow_offline_delivery: true"', async () => {
	await using forge = await installForgeClient();
	const subscriptions = {review};
	const environment = {PATH: forge.path};
	{
		await using gateway = await startTestGateway({subscriptions, environment});
		await gateway.send('review', pullRequest);
		expect((await gateway.ended(1)).state).toBe('done');
		expect(await forge.calls()).toEqual([]);
		expect(gateway.log.join('\n')).toContain('[svc-offline: no language model is configured');
	}

	await using gateway = await startTestGateway({
		config: {model: {provider: 'offline', allow_offline_delivery: true}},
		subscriptions,
		environment,
	});
	await gateway.send('review', pullRequest);
	await gateway.ended(1);
	expect((await forge.calls())[0]?.body).toMatch(/^\[svc-offline: no language model is configured/);
});
