import {setImmediate as nextTurn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {createOutbox} from '../../source/http/http-messages.ts';

test('answers that are ready in the turn of their requests leave at its end, in their order', async () => {
	const sent: string[] = [];
	const outbox = createOutbox();
	for (const name of ['first', 'second']) {
		outbox.open();
		outbox.send(() => sent.push(name));
	}

	expect(sent).toEqual([]);
	await nextTurn();
	expect(sent).toEqual(['first', 'second']);
});

test('answers that are ready later leave at once', async () => {
	const sent: string[] = [];
	const outbox = createOutbox();
	outbox.open();
	await nextTurn();
	outbox.send(() => sent.push('late'));

	expect(sent).toEqual(['late']);
});

test('opens again for the next turn', async () => {
	const sent: string[] = [];
	const outbox = createOutbox();
	outbox.open();
	await nextTurn();
	outbox.open();
	outbox.send(() => sent.push('next'));

	expect(sent).toEqual([]);
	await nextTurn();
	expect(sent).toEqual(['next']);
});
