import {expect, test} from 'vitest';
import {createGrowingAnswer, pauseBetweenEdits} from '../../source/conversations/growing-answer.ts';
import {settleTurn} from '../approvals/queue-fixture.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

const place = {conversation: {platform: 'telegram', chat: '12'}, answer: {}};

function grow(failure?: string) {
	const clock = createFakeClock();
	const said: string[] = [];
	let sending = Promise.withResolvers<void>();
	sending.resolve();
	const growing = createGrowingAnswer(
		{
			clock,
			async say(_, {text, keeps}) {
				said.push(`${keeps}: ${text}`);
				await sending.promise;
				return failure;
			},
		},
		{place, key: 'turn 1', pauseMs: 1000},
	);
	return {
		clock,
		said,
		growing,
		/** The platform takes its time from here on, until the way out is called. */
		hold: () => {
			sending = Promise.withResolvers();
			return sending.resolve;
		},
		pass: async (ms: number) => {
			clock.advance(ms);
			await settleTurn();
		},
	};
}

test('"At most one edit a second", of one message, and none when nothing came', async () => {
	const {said, growing, pass} = grow();
	growing.say('Hel', true);
	await pass(999);
	expect(said).toEqual([]);
	growing.say('lo', false);
	await pass(1);
	await pass(5000);
	growing.say(' you', false);
	await pass(1000);
	expect(said).toEqual(['turn 1: Hello …', 'turn 1: Hello you …']);
});

test('one edit at a time, and what comes meanwhile is in the next; another answer takes the place', async () => {
	const {said, growing, pass, hold} = grow();
	const goOn = hold();
	growing.say('One', true);
	await pass(1000);
	growing.say('Two', true);
	await pass(5000);
	expect(said).toHaveLength(1);
	goOn();
	await settleTurn();
	await pass(1000);
	expect(said.at(-1)).toBe('turn 1: Two …');
});

test('"20 a message": an endless answer is shown 18 times, by its end', async () => {
	const {said, growing, pass} = grow();
	for (let step = 0; step < 40; step += 1) {
		growing.say('x'.repeat(100), step === 0);
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await pass(1000);
	}

	expect(said).toHaveLength(18);
	expect(said.at(-1)).toHaveLength('turn 1: … '.length + 1500 + ' …'.length);
});

test('after the first failure nothing is shown, nor after the end', async () => {
	const failing = grow('gone');
	failing.growing.say('One', true);
	await failing.pass(1000);
	failing.growing.say('Two', false);
	await failing.pass(5000);
	expect(failing.said).toHaveLength(1);

	const {said, growing, pass, hold} = grow();
	const goOn = hold();
	growing.say('One', true);
	await pass(1000);
	growing.stop();
	growing.say('Two', false);
	goOn();
	await pass(5000);
	expect(said).toHaveLength(1);
	growing.breakOff();
	expect(said.at(-1)).toBe('turn 1: OneTwo\n\n(broken off)');
});

test('what may become the word for nothing is not shown', async () => {
	const {said, growing, pass} = grow();
	for (const [index, text] of ['[SI', 'LENT]', ' '].entries()) {
		growing.say(text, index === 0);
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await pass(1000);
	}

	expect(said).toEqual([]);
	growing.say('[SILENCE] is golden', true);
	await pass(1000);
	expect(said).toHaveLength(1);
});

test('an answer that grows leaves two thirds of what the platform takes in a minute', () => {
	expect([0, 600, 60, 20].map(pauseBetweenEdits)).toEqual([1000, 1000, 3000, 9000]);
});
