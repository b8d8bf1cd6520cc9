import {expect, test} from 'vitest';
import type {StoredDelivery} from '../../../source/core/delivery.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeDelivery, makeRun, received} from '../../helpers/make.ts';
import {freshPicture, showShell, testNow} from '../../helpers/show-shell.tsx';

const payload = {
	action: 'opened',
	pull_request: {draft: true, title: 'Fix'},
	labels: Array.from({length: 40}, (_, index) => `label-${index}`),
};

/** The latest of two deliveries, opened; it belongs to run 7, which nobody has heard of yet. */
async function open(columns = 120, body: unknown = payload) {
	const port = createFakePort();
	for (const second of [0, 1]) {
		const delivery: StoredDelivery = {
			...makeDelivery({receivedAt: testNow + second * 1000, runId: 7}),
			headers: {},
			body: new TextEncoder().encode(JSON.stringify(body)),
		};
		port.deliveries.set(delivery.id, delivery);
		port.emit(received(delivery));
	}

	const shown = await showShell(port, {columns, rows: 24});
	await shown.screen.press('enter');
	await shown.pass(400);
	return {
		port,
		shown,
		/** Run 7 appears: rows come above the payload. */
		async insert(answer: string) {
			port.change({runs: [makeRun({id: 7, state: 'done', answer})]});
			await shown.pass(250);
		},
		chosen: () =>
			shown.screen
				.lines()
				.map(line => line.slice(columns === 120 ? 70 : 0))
				.findIndex(line => line.startsWith('>')),
		async [Symbol.asyncDispose]() {
			await shown[Symbol.asyncDispose]();
		},
	};
}

test.for([80, 120])(
	'at %d columns rows that come above the chosen field leave it chosen, and s acts on it',
	async columns => {
		await using detail = await open(columns);
		const {shown} = detail;
		await shown.screen.press('s', 'j', 'j');
		expect(shown.text()).toContain('>   draft: true');
		const row = detail.chosen();
		await detail.insert('one\ntwo');

		expect(shown.text()).toContain('>   draft: true');
		expect(detail.chosen()).toBe(row);
		expect(shown.screen.picture()).toBe(await freshPicture(shown));
		await shown.screen.press('s');
		expect(shown.text()).toContain('pull_request.draft equals true');
	},
);

test('j goes on from the chosen field, wherever it stands now', async () => {
	await using detail = await open();
	await detail.shown.screen.press('s', 'j', 'j');
	await detail.insert('one\ntwo');
	await detail.shown.screen.press('j');

	expect(detail.shown.text()).toContain('>   title: "Fix"');
});

test('rows that go from above leave the field chosen as well', async () => {
	await using detail = await open();
	await detail.insert('one\ntwo\nthree');
	await detail.shown.screen.press('s', 'j');
	detail.port.change({runs: []});
	await detail.shown.pass(250);

	expect(detail.shown.text()).toContain('> pull_request:');
});

test('what a search found stays chosen', async () => {
	await using detail = await open(80);
	const {shown} = detail;
	await shown.screen.press('/');
	await shown.screen.type('label-30');
	await shown.screen.press('enter', 'n');
	await detail.insert('one\ntwo');
	await shown.screen.press('s');

	expect(shown.text()).toContain('labels.30 equals "label-30"');
});

test('s takes no field that came under the cursor by itself', async () => {
	await using detail = await open();
	const {shown} = detail;
	// The row before the payload: it shows no field. When the run goes, a field stands there.
	await detail.insert('one');
	await shown.screen.press('s', 'k', 'k');
	detail.port.change({runs: []});
	await shown.pass(250);
	await shown.screen.press('s');

	expect(shown.shell.view.get().overlay).toBeUndefined();
	expect(shown.said()).toContain('j k to a field, then s once more');
});

test('another delivery begins at its first row', async () => {
	await using detail = await open(80);
	await detail.shown.screen.press('s', 'j', 'esc', 'k', 'enter');
	await detail.shown.pass(80);

	expect(detail.shown.shell.view.get()).toMatchObject({detailCursor: 0, detailPath: undefined});
	await detail.shown.screen.press('s');
	expect(detail.shown.text()).toContain('> action: "opened"');
});
