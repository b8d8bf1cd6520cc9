import {expect, test} from 'vitest';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeDelivery, makeGroup, makeJob, received} from '../../helpers/make.ts';
import {showShell, testNow} from '../../helpers/show-shell.tsx';

/** The last row with a delivery, a group or a job selected, without its blanks. */
async function footer(columns: number, keys: readonly string[]): Promise<string> {
	const port = createFakePort({groups: [makeGroup()], jobs: [makeJob({lastRunId: 1})]});
	port.emit(received(makeDelivery({receivedAt: testNow})));
	await using shown = await showShell(port, {columns, rows: 24});
	await shown.screen.press(...keys);
	return (shown.said() ?? '').trim().replaceAll(/\s+/g, ' ');
}

const ways = '? help : palette q quit';

test.for([
	// " enter open  r replay  y copy  / filter  f follow  ! approvals  ? help"
	[80, [], `r replay y copy / filter f follow enter open ${ways}`],
	[80, ['enter'], `r replay y copy s filter from field esc back ${ways}`],
	[100, [], `r replay R edit+replay y copy / filter f follow enter open ${ways}`],
	// " enter open  r replay  R edit+replay  y copy  s filter from field  …  / filter  f follow  …"
	[
		120,
		[],
		`r replay R edit+replay y copy s filter from field / filter f follow enter open ${ways}`,
	],
	[
		120,
		['enter'],
		`r replay R edit+replay y copy s filter from field / filter f follow esc back ${ways}`,
	],
	[80, ['2'], `d dispatch now (asks) y copy key enter open ${ways}`],
	[80, ['2', 'enter'], `d dispatch now (asks) y copy key esc back ${ways}`],
	[80, ['2', 'tab'], `x run now (asks) p pause or resume enter open ${ways}`],
	[80, ['2', 'tab', 'enter'], `x run now (asks) p pause or resume esc back ${ways}`],
	[60, ['2', 'tab', 'enter'], `x run now (asks) esc back ${ways}`],
] as const)('at %d columns %j has the footer "%s"', async ([columns, keys, expected]) => {
	expect(await footer(columns, keys)).toBe(expected);
});

test('an empty Traffic pane offers the test event, and nothing to open', async () => {
	const port = createFakePort({
		routes: [
			{
				name: 'gh-review',
				profile: 'default',
				source: 'dynamic',
				description: '',
				events: [],
				deliver: 'log',
				mode: 'agent',
				insecure: false,
			},
		],
	});
	await using shown = await showShell(port, {columns: 80, rows: 24});

	expect(shown.said()).toContain('T test event');
	expect(shown.said()).not.toContain('enter open');
});
