// @module-tag slow
import {expect, test} from 'vitest';
import {someAttacks} from '../../helpers/attack-corpus.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {foreignSequences} from '../../helpers/foreign-sequences.ts';
import {
	makeShownTool,
	makeField,
	makeFormApproval,
	makeToolApproval,
} from '../../helpers/make-approval.ts';
import {makeServer, makeServerTool} from '../../helpers/make-server.ts';
import {showShell} from '../../helpers/show-shell.tsx';

const wide = {columns: 120, rows: 36};

test('nothing that a server or a model says reaches the terminal as a sequence', async () => {
	const corpus = someAttacks();
	for (let start = 0; start < corpus.length; start += 90) {
		const attacks = corpus.slice(start, start + 90).map(attack => attack.slice(0, 100));
		const all = attacks.join(' ');
		const args = Object.fromEntries(attacks.map(attack => [attack, {[attack]: [attack]}]));
		const call = makeToolApproval({
			args,
			lastArgs: {other: all},
			route: all,
			tool: makeShownTool({
				tool: all,
				host: all,
				description: all,
				inputSchema: {description: all},
			}),
		});
		const form = makeFormApproval({
			server: all,
			host: all,
			message: all,
			fields: [
				makeField({key: all, title: all, description: all}),
				makeField({kind: 'choices', options: [{value: all, title: all}]}),
			],
		});
		const port = createFakePort({
			approvals: [call, form],
			settledApprovals: [
				{...call, id: 9, decision: {outcome: 'denied', at: 0, by: all, reason: all}},
			],
			servers: [
				makeServer({
					name: all,
					endpoint: all,
					reason: all,
					stderr: all,
					filter: all,
					serverInfo: all,
					warnings: attacks,
					tools: [makeServerTool({tool: all, title: all, description: all})],
				}),
			],
		});
		// oxlint-disable-next-line no-await-in-loop -- one screen after the other
		await using shown = await showShell(port, wide);
		// oxlint-disable-next-line no-await-in-loop -- one screen after the other
		await shown.screen.press(
			'!',
			'G',
			'v',
			'esc',
			'esc',
			'6',
			'j',
			'!',
			'G',
			'esc',
			'G',
			'3',
			't',
			'esc',
		);

		expect(foreignSequences(shown.screen.written())).toEqual([]);
		expect(shown.screen.lines()).toHaveLength(36);
	}
});
