import {expect, test} from 'vitest';
import {installForgeClient} from '../helpers/forge-client.ts';
import {startTestGateway} from '../helpers/gateway.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';

const answering = {
	events: ['issue_comment'],
	prompt: 'Answer: {comment.body}',
	deliver: 'forge_comment',
	deliver_extra: {repo: '{repository.full_name}', pr_number: '{issue.number}'},
	rate_limit: 1_000_000,
};

/** What a code host says of a new comment on `acme/api#7`. */
const commented = (body: string) => ({
	action: 'created',
	repository: {full_name: 'acme/api'},
	issue: {number: 7, body: 'Help'},
	comment: {body},
});

const asComment = {'x-github-event': 'issue_comment'};

test('a route that is fed with its own comment a thousand times runs once', async () => {
	await using forge = await installForgeClient();
	await using model = await startScriptedModel(
		Array.from({length: 9}, () => ({text: 'I can help.'})),
	);
	await using gateway = await startTestGateway({
		config: {
			model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
		},
		subscriptions: {answering},
		environment: {PATH: forge.path},
	});
	const first = await gateway.send('answering', commented('Help me, please'), asComment);
	expect(first.json['status']).toBe('accepted');
	expect((await gateway.ended(1)).state).toBe('done');
	const [call] = await forge.calls();
	expect(call?.text).toBe('I can help.');
	expect(call?.body).not.toBe(call?.text);

	for (let count = 0; count < 1000; count += 1) {
		// oxlint-disable-next-line no-await-in-loop -- as a code host sends them
		const answer = await gateway.send('answering', commented(call?.body ?? ''), asComment);
		expect(answer.json).toEqual({status: 'ignored', reason: 'own', route: 'answering'});
	}

	await gateway.gateway.idle();
	expect(await gateway.port.listRuns({limit: 10})).toHaveLength(1);
	expect(await forge.calls()).toHaveLength(1);
	expect(model.requests).toHaveLength(1);
});
