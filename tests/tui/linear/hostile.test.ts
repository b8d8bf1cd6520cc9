// @module-tag slow
import {expect, test} from 'vitest';
import {panes} from '../../../source/tui/panes/panes.ts';
import {attackCorpus} from '../../helpers/attack-corpus.ts';
import {foreignSequences} from '../../helpers/foreign-sequences.ts';
import {openLinear} from '../../helpers/linear.ts';
import {makeShownTool, makeToolApproval} from '../../helpers/make-approval.ts';
import {makeKey} from '../../helpers/make-key.ts';
import {makeServer, makeServerTool} from '../../helpers/make-server.ts';
import {makeDelivery, makeGroup, makeJob, makeRun} from '../../helpers/make.ts';
import {createWorld} from './world.ts';

/** Many texts in one: what one of them is harmed by, all are. */
const chunks = (size: number): readonly string[] =>
	Array.from({length: Math.ceil(attackCorpus.length / size)}, (_, index) =>
		attackCorpus.slice(index * size, (index + 1) * size).join(' '),
	);

const texts = chunks(40);

test('no text of a stranger does anything to the terminal, in any pane, question or announcement', async () => {
	const at = createWorld().getState().deliveries[0]?.delivery.receivedAt ?? 0;
	const port = createWorld({
		deliveries: texts.map((text, index) => ({
			key: `d${index}`,
			count: 1,
			delivery: makeDelivery({
				id: `d${index}`,
				receivedAt: at,
				route: text,
				event: text,
				subject: text,
			}),
		})),
		groups: texts.map((text, id) => makeGroup({id, route: text, key: text})),
		jobs: texts.map((text, index) => makeJob({id: `job_${index}`, name: text, schedule: text})),
		servers: texts.map((text, index) =>
			makeServer({
				name: `s${index}`,
				endpoint: text,
				reason: text,
				tools: [makeServerTool({tool: text, description: text, args: [text]})],
			}),
		),
		runs: texts.map((text, id) => makeRun({id, route: text, event: text, subject: text})),
		keys: texts.map((text, index) => makeKey({id: `key_${index}`, name: text, models: [text]})),
		logs: texts.map(text => ({
			at,
			level: 'info',
			source: text,
			message: text,
			fields: {[text]: text},
		})),
		approvals: texts.map((text, id) =>
			makeToolApproval({
				id,
				route: text,
				prompt: text,
				said: text,
				tool: makeShownTool({tool: text, server: text, host: text, description: text}),
				args: {[text]: text},
			}),
		),
	});
	await using spoken = await openLinear(port);
	for (const {id} of panes) {
		// oxlint-disable-next-line no-await-in-loop -- one pane after the other
		await spoken.say(
			`pane ${id}`,
			'more',
			'1',
			'more',
			'find a',
			'do',
			'y',
			'again',
			'cancel',
			`filter ${texts[0]?.slice(0, 60)}`,
			'filter off',
		);
	}

	await spoken.say(
		'status',
		'palette go',
		'approvals',
		'more',
		'more',
		'about',
		'help',
		'deny',
		...texts.slice(0, 3),
	);
	const written = spoken.written();

	expect(written.length).toBeGreaterThan(50_000);
	expect(foreignSequences(written)).toEqual([]);
	expect(written).not.toContain('\u001B');
});
