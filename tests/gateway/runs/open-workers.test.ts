import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {homePaths} from '../../../source/config/home-paths.ts';
import {systemClock} from '../../../source/core/clock.ts';
import {openSqliteStore} from '../../../source/store/open-sqlite-store.ts';
import {gatewayHome, startTestGateway, testConfig} from '../../helpers/gateway.ts';
import {startScriptedModel, type ScriptedAnswer} from '../../helpers/scripted-model.ts';
import type {TemporaryHome} from '../../helpers/temporary-home.ts';
import {acceptRun, logPlan, sampleEntry} from '../../store/samples.ts';

/** Leaves runs of a route in the journal of a home in which no gateway runs. */
async function leaveRuns(home: TemporaryHome, prompts: readonly string[], profile = 'default') {
	const {stateDb} = homePaths({environment: {SVC_HOME: home.path}});
	await using store = await openSqliteStore({clock: systemClock}, {file: stateDb});
	for (const prompt of prompts) {
		const plan = {...logPlan, prompt};
		await acceptRun(store, sampleEntry({profile, route: 'hook'}, {plan}));
	}
}

test('"nothing runs before it is mended": a broken configuration decides nothing about runs that wait', async () => {
	await using home = await gatewayHome({config: 'model: [\n'});
	await leaveRuns(home, ['Look']);
	await using gateway = await startTestGateway({home});
	await gateway.gateway.idle();
	expect(await gateway.port.getRun(1)).toMatchObject({state: 'queued'});

	await home.write('config.yaml', testConfig());
	await gateway.port.reload();
	expect(await gateway.ended(1)).toMatchObject({state: 'done'});
});

test('the concurrency of a route is no bound for runs of the same name of another profile', async () => {
	const gate = Promise.withResolvers<ScriptedAnswer>();
	await using model = await startScriptedModel([() => gate.promise, () => gate.promise]);
	await using home = await gatewayHome({
		config: {
			model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
		},
		subscriptions: {hook: {prompt: 'x', concurrency: 1}},
	});
	await leaveRuns(home, ['one', 'two'], 'work');
	await using gateway = await startTestGateway({home});
	await model.request(1);
	expect(model.requests).toHaveLength(2);
	gate.resolve({text: 'Done'});
	await Promise.all([gateway.ended(1), gateway.ended(2)]);
	await turn();
});
