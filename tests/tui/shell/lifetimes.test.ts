import {expect, test} from 'vitest';
import {literal} from '../../../source/terminal/text/safe.ts';
import {selectSoon} from '../../../source/tui/acts/select-soon.ts';
import type {Draft} from '../../../source/tui/editor/draft.ts';
import {editor, newEditor} from '../../../source/tui/editor/editor-state.ts';
import {refresh, closeEditor} from '../../../source/tui/editor/refresh.ts';
import {routeList} from '../../../source/tui/entries/lists.ts';
import {createShell} from '../../../source/tui/shell/create-shell.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakeLogins} from '../../helpers/fake-logins.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {createFakeDesktop} from '../../helpers/show-shell.tsx';

/** A shell whose port remembers which routes it was asked to check. */
function openShell() {
	const clock = createFakeClock();
	const checked: string[] = [];
	const port = createFakePort();
	port.checkRoute = async name => {
		checked.push(name);
		return {problems: [], warnings: []};
	};

	const shell = createShell(
		{port, logins: createFakeLogins(), clock, desktop: createFakeDesktop()},
		{size: {columns: 120, rows: 36}, theme: 'dark', ssh: false, version: '1.0'},
	);
	return {shell, clock, checked};
}

const draft: Draft = {
	name: 'hook',
	from: 'hook',
	isNew: false,
	source: 'dynamic',
	fingerprint: 'none',
	traffic: '',
	base: {},
	definition: {},
	past: [],
};

test('a cursor that is to stand on what was made waits no longer than the interface is there', () => {
	const {shell, clock} = openShell();
	const list = shell.list(routeList);
	let looks = 0;
	const find = () => {
		looks += 1;
		return undefined;
	};

	selectSoon(shell, list, find);
	shell[Symbol.dispose]();
	// What is made in the last moment is told afterwards.
	selectSoon(shell, list, find);
	expect(clock.timersLeft).toBe(0);
	clock.advance(10_000);
	expect(looks).toBe(2);
});

test('what is said after the end of the interface starts no timer', () => {
	const {shell, clock} = openShell();
	shell[Symbol.dispose]();
	shell.toast(literal('too late'));
	expect(clock.timersLeft).toBe(0);
});

test('a draft is looked at when it rests, and neither after its form was closed nor after the end', () => {
	const {shell, clock, checked} = openShell();
	const timers = clock.timersLeft;
	const edit = () => {
		shell.local(editor).set(() => newEditor(draft, []));
		refresh(shell);
	};

	edit();
	closeEditor(shell);
	expect(clock.timersLeft).toBe(timers);
	edit();
	clock.advance(1000);
	expect(checked).toEqual(['hook']);
	edit();
	shell[Symbol.dispose]();
	expect(clock.timersLeft).toBe(0);
	clock.advance(1000);
	expect(checked).toEqual(['hook']);
});
