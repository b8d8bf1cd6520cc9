import {EventEmitter} from 'node:events';
import {closeSync, mkdtempSync, openSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createTerminalModes, resetAtExit, resetSequence} from '../../source/terminal/modes.ts';
import {foreignSequences} from '../helpers/foreign-sequences.ts';

const open = () => {
	const written: string[] = [];
	const modes = createTerminalModes(sequence => {
		written.push(sequence);
	});
	return {
		modes,
		take: () => written.splice(0).join('').replaceAll('\u001B', '^').replaceAll('\u0007', '$'),
	};
};

test('a mode is set only when it changes', () => {
	const {modes, take} = open();
	modes.setMouse('off');
	modes.setFocusReports(false);
	expect(take()).toBe('');
	modes.setMouse('wheel');
	modes.setMouse('full');
	modes.setFocusReports(true);
	modes.setFocusReports(true);
	expect(take()).toBe('^[?1000h^[?1006h^[?1004h');
	modes.setMouse('off');
	expect(take()).toBe('^[?1006l^[?1000l');
});

test('another program gets the terminal without our modes, and we get them back', () => {
	const {modes, take} = open();
	modes.setMouse('wheel');
	take();
	modes.release();
	expect(take()).toBe('^[?1006l^[?1000l');
	modes.setFocusReports(true);
	modes.release();
	expect(take()).toBe('');
	modes.reclaim();
	expect(take()).toBe('^[?1000h^[?1006h^[?1004h');
});

test('the title is pushed once, cleaned, written only when it changes, and given back', () => {
	const {modes, take} = open();
	modes.setTitle('svc');
	modes.setTitle('svc');
	modes.setTitle('svc \u0007\u001B]52;c;YQ==\u0007');
	expect(take()).toBe('^[22;2t^]2;svc$^]2;svc ␇␛]52;c;YQ==␇$');
	modes[Symbol.dispose]();
	modes[Symbol.dispose]();
	expect(take()).toBe('^[23;2t');
});

test('the reset erases nothing and knows only our sequences', () => {
	expect(foreignSequences(resetSequence)).toEqual([]);
	expect(resetSequence).not.toContain('3J');
	expect(resetSequence).not.toContain('1049');
});

test('the last net writes when the process exits, and not after it was taken down', () => {
	const folder = mkdtempSync(join(tmpdir(), 'svc-modes-'));
	const path = join(folder, 'tty');
	const fd = openSync(path, 'w');
	try {
		const {modes} = open();
		modes.setTitle('svc');
		const program = new EventEmitter() as unknown as NodeJS.Process;
		const stop = resetAtExit(program, fd, modes);
		program.emit('exit', 0);
		expect(readFileSync(path, 'utf8')).toBe(`${resetSequence}\u001B[23;2t`);
		stop();
		expect(program.listenerCount('exit')).toBe(0);
		resetAtExit(program, 9999, modes);
		program.emit('exit', 0);
	} finally {
		closeSync(fd);
		rmSync(folder, {recursive: true});
	}
});

test('a title that changes while another program has the terminal is there when that gives it back', () => {
	const {modes, take} = open();
	modes.setTitle('svc');
	take();
	modes.release();
	modes.setTitle('svc – ! 1 approval');
	expect(take()).toBe('');
	modes.reclaim();
	expect(take()).toBe('^]2;svc – ! 1 approval$');
	modes[Symbol.dispose]();
	expect(take()).toBe('^[23;2t');

	modes.release();
	modes.setTitle('first');
	expect(modes.restoreTitle()).toBe('');
	modes.reclaim();
	expect(take()).toBe('^[22;2t^]2;first$');
});
