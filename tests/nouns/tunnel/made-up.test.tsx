import {Command} from 'commander';
import {beforeEach, expect, test} from 'vitest';
import type {Context} from '../../../source/cli/console/context.ts';
import {addActs} from '../../../source/cli/nouns/act-commands.ts';
import {addList, addShow} from '../../../source/cli/nouns/noun-commands.ts';
import {literal} from '../../../source/terminal/text/safe.ts';
import {nounCommands} from '../../../source/tui/nouns/acts.ts';
import {listingOf, onePane} from '../../../source/tui/nouns/listing.ts';
import {panes} from '../../../source/tui/panes/panes.ts';
import {nounList} from '../../../source/tui/state/source.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {showShell} from '../../helpers/show-shell.tsx';
import {tunnelActs, tunnelNoun, tunnels} from './tunnel.ts';

const tunnelList = nounList('tunnels', tunnelNoun, {read: () => tunnels});

/** All that a pane of a noun is, and below one line in the list of panes. */
const tunnelsPane = onePane({
	id: 'tunnels',
	title: literal('Tunnels'),
	manual: 'reachable',
	empty: () => ['No tunnels.'],
	isWide: true,
	commands: nounCommands({noun: tunnelNoun, acts: tunnelActs, list: tunnelList}),
	listing: listingOf({noun: tunnelNoun, list: tunnelList}),
	summary: () => [],
});

/** All that its commands are, and one line in the list of commands. */
function addTunnelCommands(program: Command, context: Context): void {
	const group = program.command('tunnels').description('made-up things');
	addList(group, context, {
		noun: tunnelNoun,
		says: 'list tunnels',
		read: async () => tunnels,
	});
	addShow(group, context, {
		noun: tunnelNoun,
		says: 'show one tunnel',
		async read(name) {
			const item = tunnels.find(one => one.name === name);
			return item && {item};
		},
	});
	addActs(group, context, {
		noun: tunnelNoun,
		acts: tunnelActs,
		open: async () => ({async [Symbol.asyncDispose]() {}}),
	});
}

beforeEach(() => {
	tunnels.splice(
		0,
		tunnels.length,
		{name: 'office', port: 8022, isOpen: true},
		{name: 'home\u001B[2J', port: 22, isOpen: false},
	);
});

async function run(...words: readonly string[]): Promise<string> {
	const written: string[] = [];
	const stream = {isTTY: false, write: (text: string) => written.push(text)};
	const program = new Command('svc').exitOverride();
	// Of the context, what these commands look at.
	addTunnelCommands(program, {
		stdout: stream,
		stderr: stream,
		clock: {now: () => 0},
	} as unknown as Context);
	await program.parseAsync(['tunnels', ...words], {from: 'user'});
	return written.join('');
}

test('a made-up noun is listed, shown and acted on by the command line, as text and as JSON', async () => {
	expect(await run('list')).toBe(
		'NAME      PORT  STATE\noffice    8022  ● open\nhome␛[2J  22    ○ closed\n',
	);
	expect(JSON.parse(await run('list', '--json'))).toEqual(tunnels);
	expect(await run('show', 'office')).toBe('office\nport    8022\nstate   open\n');
	expect(await run('close', 'office')).toBe('office is closed\n');
	expect(JSON.parse(await run('open', 'office', '--json'))).toEqual(tunnels[0]);
	await expect(run('open', 'moon')).rejects.toThrow(
		'Cannot open tunnel "moon": there is none, see "svc tunnels list"',
	);
});

test('a made-up noun has a list, a detail, acts that ask, and a filter on the screen', async () => {
	await using shown = await showShell(
		createFakePort(),
		{columns: 80, rows: 24},
		{panes: [...panes, tunnelsPane] as never, pane: 'tunnels'},
	);
	expect(shown.text()).toContain('> office');
	expect(shown.text()).toContain('home␛[2J');
	await shown.screen.press('o');
	expect(shown.said()).toContain('office is open');
	await shown.screen.press('y');
	expect(shown.said()).toContain('office is open: close it first');
	await shown.screen.press('D');
	expect(shown.text()).toContain('Nothing reaches port 8022 any more.');
	await shown.screen.press('y');
	expect(tunnels[0]?.isOpen).toBe(false);
	await shown.screen.press('j', 'y');
	expect(shown.desktop.copied).toEqual(['22']);
	await shown.screen.press('k', 'enter');
	expect(shown.text()).toContain('  port  8022');
	await shown.screen.press('esc', '/');
	await shown.screen.type('name:home');
	expect(shown.text()).not.toContain('> office');
});

test('no text of a made-up noun begins a line of its own', async () => {
	tunnels.push({name: 'x\nALL GOOD', port: 1, isOpen: false});
	for (const words of [['show', 'x\nALL GOOD'], ['open', 'x\nALL GOOD'], ['list']]) {
		// oxlint-disable-next-line no-await-in-loop -- one command after the other
		expect(await run(...words)).not.toMatch(/^ALL GOOD/m);
	}
});
