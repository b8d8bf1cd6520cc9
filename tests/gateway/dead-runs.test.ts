import {afterAll, beforeAll, expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import type {Run} from '../../source/core/run.ts';
import {installForgeClient, type ForgeClient} from '../helpers/forge-client.ts';
import {startTestGateway, subscriptionsText, type TestGateway} from '../helpers/gateway.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';

const route = {
	prompt: 'Review {id}',
	deliver: 'forge_comment',
	deliver_extra: {repo: 'acme/api', pr_number: '{id}'},
};

let forge: ForgeClient;
let model: Awaited<ReturnType<typeof startScriptedModel>>;
let gateway: TestGateway;

beforeAll(async () => {
	forge = await installForgeClient();
	model = await startScriptedModel([], {otherwise: () => ({text: 'Looks good.'})});
	gateway = await startTestGateway({
		config: {
			model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
			runs: {delivery_tries: 1},
		},
		subscriptions: {review: route},
		environment: {PATH: forge.path},
	});
});

afterAll(async () => {
	await gateway[Symbol.asyncDispose]();
	await model[Symbol.asyncDispose]();
	await forge[Symbol.asyncDispose]();
});

/** A run whose answer the code host does not take. */
async function deadRun(): Promise<Run> {
	await forge.fail('gh: not logged in');
	const {json} = await gateway.send('review', {id: 7});
	expect(json['status']).toBe('accepted');
	await gateway.gateway.idle();
	await forge.fail(undefined);
	const [run] = await gateway.port.listRuns({limit: 1});
	if (run?.state !== 'dead') {
		throw new Error(`the run is ${run?.state}`);
	}

	return run;
}

async function serve(subscriptions: Readonly<Record<string, JsonObject>>): Promise<void> {
	await gateway.home.write('webhook_subscriptions.json', subscriptionsText(subscriptions));
	await gateway.port.reload();
}

const toDecide = async () => (await gateway.port.status()).runs.to_decide;

/** The model has been asked so often, and so many comments stand on the code host. */
const counts = async () => [model.requests.length, (await forge.comments()).length] as const;

test('a dead run that is dropped waits for nobody, and says why to whoever looks', async () => {
	const {id} = await deadRun();
	expect(await toDecide()).toBe(1);

	expect(await gateway.port.dropRun(id, {reason: 'gh was missing'})).toBe(true);
	expect(await gateway.port.dropRun(id)).toBe(false);
	expect(await gateway.port.cancelRun(id)).toBe(false);
	expect(await toDecide()).toBe(0);
	expect(
		(await gateway.port.searchRuns({filter: 'state:dropped missing', limit: 9})).items,
	).toMatchObject([{id, dropped: {was: 'dead', reason: 'gh was missing'}}]);
	const state = await gateway.until(({runs}) => runs.some(run => run.state === 'dropped'));
	expect(state.runs.filter(run => run.state === 'dead')).toEqual([]);
});

test('an answer goes to the target that the route has now, without the model, and once more to where it arrived', async () => {
	const {id, deliveryAttempt} = await deadRun();
	const [asked, comments] = await counts();
	await serve({review: {...route, deliver: 'log'}});
	expect(await gateway.port.deliverRun(id)).toMatchObject({kind: 'log'});
	expect(await gateway.ended(id)).toMatchObject({
		state: 'done',
		target: 'log',
		fullAnswer: 'Looks good.',
		deliveryAttempt: deliveryAttempt + 1,
	});

	// With the keys that its plan had.
	const target = {kind: 'forge_comment', extra: {repo: 'acme/api', pr_number: '7'}};
	for (const times of [1, 2]) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		expect(await gateway.port.deliverRun(id, {to: 'forge_comment'})).toEqual(target);
		// oxlint-disable-next-line no-await-in-loop
		await gateway.gateway.idle();
		// oxlint-disable-next-line no-await-in-loop
		expect(await gateway.port.getRun(id)).toMatchObject({state: 'done', plan: {again: times}});
		// oxlint-disable-next-line no-await-in-loop
		expect(await counts()).toEqual([asked, comments + times]);
	}
});

test('what cannot be handed over is refused with why, and nothing is sent', async () => {
	await serve({review: route});
	const {id} = await deadRun();
	const before = await counts();
	const refusals = [
		[{to: 'telegarm'}, 'target_unusable', 'did you mean "telegram"'],
		[{to: 'telegram', chatId: '12'}, 'target_unusable', 'telegram'],
	] as const;
	for (const [where, code, message] of refusals) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await expect(gateway.port.deliverRun(id, where)).rejects.toMatchObject({
			code,
			message: expect.stringContaining(message),
		});
	}

	await serve({other: route});
	await expect(gateway.port.deliverRun(id)).rejects.toMatchObject({
		code: 'route_not_found',
		message: expect.stringContaining('"review" is not served now; name a target'),
	});
	expect(await gateway.port.deliverRun(99_999)).toBeUndefined();
	expect((await gateway.port.getRun(id))?.state).toBe('dead');
	expect(await counts()).toEqual(before);

	await gateway.port.dropRun(id);
	expect(await gateway.port.deliverRun(id, {to: 'log'})).toMatchObject({kind: 'log'});
	expect(await gateway.ended(id)).toMatchObject({state: 'done', target: 'log'});
});
