import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {systemClock} from '../../../source/core/clock.ts';
import type {GatewayEvent} from '../../../source/core/events.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {reduce} from '../../../source/core/reduce.ts';
import {initialState, limits} from '../../../source/core/state.ts';
import {open as openControl} from '../../../source/gateway/control/control-client.ts';
import {startControlServer} from '../../../source/gateway/control/control-server.ts';
import {readEventStream} from '../../../source/gateway/control/event-stream.ts';
import {connectGateway} from '../../../source/gateway/control/remote-port.ts';
import {createRunWords} from '../../../source/gateway/runs/announce-runs.ts';
import {startApi} from '../../helpers/api.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {startTestGateway, stateWhere} from '../../helpers/gateway.ts';
import {startScriptedModel} from '../../helpers/scripted-model.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

function open() {
	const clock = createFakeClock();
	const told: GatewayEvent[] = [];
	const words = createRunWords({clock, emit: event => told.push(event)}, 7);
	const pieces = () =>
		told.map(event => (event.type === 'run-said' ? [event.from, event.text] : [event.type]));
	return {clock, words, pieces};
}

test('words that come fast are told together, at most ten times a second, and none is lost', () => {
	const {clock, words, pieces} = open();

	for (let count = 0; count < 200; count++) {
		words.say(`${count} `, count === 0);
		clock.advance(5);
	}

	clock.advance(100);
	const text = Array.from({length: 200}, (_, count) => `${count} `).join('');
	expect(pieces().length).toBeLessThanOrEqual(11);
	expect(
		pieces()
			.map(([, piece]) => piece)
			.join(''),
	).toBe(text);
	expect(pieces().map(([from]) => from)).toEqual(
		pieces().map(
			(_, index) =>
				pieces()
					.slice(0, index)
					.map(([, piece]) => piece)
					.join('').length,
		),
	);
	expect(clock.timersLeft).toBe(0);
});

test('the first words are told at once, and an answer that is whole leaves none behind', () => {
	const {clock, words, pieces} = open();

	words.say('Let me ', true);
	expect(pieces()).toEqual([[0, 'Let me ']]);
	words.say('look', false);
	words.told({kind: 'note'});
	words.told({kind: 'text'});
	clock.advance(1000);
	words.say('Seven', true);
	words.say(' of nine', false);
	words[Symbol.dispose]();
	expect(clock.timersLeft).toBe(0);
	expect(pieces()).toEqual([
		[0, 'Let me '],
		[0, 'Seven'],
	]);
});

test('words are told cleaned, also where a sign comes in two pieces', () => {
	const {clock, words, pieces} = open();
	words.say('red \u001B', true);
	words.say('[31m\u202Eend\u0007', false);
	clock.advance(100);
	const told = pieces()
		.map(([, piece]) => piece)
		.join('');
	expect(told).toContain('red ');
	expect(told).toContain('end');
	// oxlint-disable-next-line no-control-regex -- that is what must not be there
	expect(told).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202E]/);
});

test('of what a model says in one go, the end is told', () => {
	const {words, pieces} = open();

	words.say('a'.repeat(limits.saidCharacters) + 'the end', true);

	const [[from, text] = []] = pieces();
	expect(from).toBe(7);
	expect(text).toHaveLength(limits.saidCharacters);
	expect(String(text).endsWith('the end')).toBe(true);
});

const said = (from: number, text: string): GatewayEvent => ({
	type: 'run-said',
	at: 1,
	runId: 1,
	from,
	text,
});

test('a face that does not read is told no words, and counts what it missed when it reads again', async () => {
	await using home = await temporaryHome();
	const socket = home.file('gateway.sock');
	const port = createFakePort();
	await using control = await startControlServer({port, version: '1', log: silentLogger}, {socket});
	expect(control).toBeDefined();
	const stream = await openControl(socket, '/v1/events');
	const piece = 'x'.repeat(limits.saidCharacters);
	for (let count = 0; count < 2000; count++) {
		port.emit(said(count * piece.length, piece));
	}

	let state = initialState;
	const reading = (async () => {
		for await (const message of readEventStream(stream)) {
			if ('value' in message && message.name === 'events') {
				state = reduce(state, message.value as GatewayEvent[]);
			}

			if (state.said?.[1]?.text === 'the end') {
				return state.said[1];
			}
		}

		throw new Error('the stream was cut');
	})();
	const isRead = reading.then(
		() => true,
		() => true,
	);
	// Told again until the face has caught up.
	// oxlint-disable-next-line no-await-in-loop -- one turn after the other
	while (!(await Promise.race([isRead, turn(false)]))) {
		port.emit(said(2000 * piece.length, 'the end'));
	}

	expect(await reading).toEqual({at: 1, from: 2000 * piece.length, text: 'the end'});
	stream.destroy();
});

test('who attaches in the middle of an answer sees what was said, then how it goes on, then the answer; the journal has the answer alone', async () => {
	const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	await using model = await startScriptedModel([
		{
			deltas: ['Hello ', 'there ', 'you'],
			async between(index) {
				if (index === 1) {
					begun.resolve();
					await goOn.promise;
				}
			},
		},
	]);
	await using gateway = await startTestGateway({
		config: {model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl}},
		subscriptions: {hook: {}},
	});
	await gateway.send('hook', {name: 'Alex'});
	await begun.promise;
	await gateway.until(({said: words}) => words?.[1]?.text === 'Hello ');
	await using face = await connectGateway({clock: systemClock}, {socket: gateway.paths.socket});
	expect(face.getState().said).toEqual(gateway.port.getState().said);
	expect((await gateway.port.getRun(1))?.transcript.map(({text}) => text)).not.toContain('Hello ');

	const heard: string[] = [];
	face.subscribe(events => {
		heard.push(...events.flatMap(event => (event.type === 'run-said' ? [event.text] : [])));
	});
	goOn.resolve();
	const ended = await stateWhere(face, ({runs: [run]}) => run?.state === 'done');
	expect(`Hello ${heard.join('')}`).toMatch(/^Hello (there (you)?)?$/);
	expect(ended.said).toBeUndefined();
	const {transcript, fullAnswer} = await gateway.ended(1);
	expect(fullAnswer).toBe('Hello there you');
	expect(transcript.filter(({kind}) => kind === 'text').map(({text}) => text)).toEqual([
		fullAnswer,
	]);
});

test('a turn of a chat is told as it comes, too', async () => {
	await using model = await startScriptedModel([{deltas: ['Hello ', 'you']}]);
	await using api = await startApi(
		{},
		{config: {model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl}}},
	);
	const answer = await api.chat({
		model: 'svc-agent-1',
		messages: [{role: 'user', content: 'Hi'}],
	});
	expect(answer.status).toBe(200);
	expect(api.gateway.events).toContainEqual(
		expect.objectContaining({type: 'run-said', runId: 1, from: 0}),
	);
});
