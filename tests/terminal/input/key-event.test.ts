/* oxlint-disable no-control-regex -- terminal input is made of control characters */
import {assert, oneof, property, string, stringMatching} from 'fast-check';
import {expect, test} from 'vitest';
import {bytesOfKey, parseKey} from '../../../source/terminal/input/key-event.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';

const escape = '\u001B';

test.for([
	['j', 'j', 'j'],
	['G', 'G', 'G'],
	['?', '?', '?'],
	['é', 'é', 'é'],
	['日', '日', '日'],
	[' ', 'space', ' '],
	['\r', 'enter', ''],
	['\n', 'ctrl+j', ''],
	['\t', 'tab', ''],
	['\b', 'backspace', ''],
	['\u007F', 'backspace', ''],
	['\0', 'ctrl+space', ''],
	['\u000B', 'ctrl+k', ''],
	['\u001F', 'ctrl+_', ''],
	[escape, 'esc', ''],
	[`${escape}a`, 'alt+a', ''],
	[`${escape}A`, 'alt+A', ''],
	[`${escape}\r`, 'alt+enter', ''],
	[`${escape}\u007F`, 'alt+backspace', ''],
	[`${escape}\u0002`, 'ctrl+alt+b', ''],
	[`${escape} `, 'alt+space', ''],
	[`${escape}[`, 'alt+[', ''],
	[`${escape}O`, 'alt+O', ''],
	// xterm
	[`${escape}[A`, 'up', ''],
	[`${escape}[1;5A`, 'ctrl+up', ''],
	[`${escape}[1;3D`, 'alt+left', ''],
	[`${escape}[1;6C`, 'ctrl+shift+right', ''],
	[`${escape}[Z`, 'shift+tab', ''],
	[`${escape}[5~`, 'pgup', ''],
	[`${escape}[6~`, 'pgdn', ''],
	[`${escape}[3~`, 'delete', ''],
	[`${escape}[3;5~`, 'ctrl+delete', ''],
	[`${escape}[15~`, 'f5', ''],
	[`${escape}[24~`, 'f12', ''],
	[`${escape}[1;2P`, 'shift+f1', ''],
	[`${escape}[27;5;107~`, 'ctrl+k', ''],
	[`${escape}[27;2;13~`, 'shift+enter', ''],
	// SS3
	[`${escape}OA`, 'up', ''],
	[`${escape}OP`, 'f1', ''],
	[`${escape}OH`, 'home', ''],
	[`${escape}OM`, 'enter', ''],
	[`${escape}Op`, '0', '0'],
	[`${escape}Oj`, '*', '*'],
	[`${escape}Ok`, '+', '+'],
	[`${escape}O5A`, 'ctrl+up', ''],
	// rxvt
	[`${escape}[a`, 'shift+up', ''],
	[`${escape}Oa`, 'ctrl+up', ''],
	[`${escape}[2$`, 'shift+insert', ''],
	[`${escape}[5^`, 'ctrl+pgup', ''],
	[`${escape}[7~`, 'home', ''],
	[`${escape}${escape}[A`, 'alt+up', ''],
	// Linux console
	[`${escape}[[A`, 'f1', ''],
	[`${escape}[[E`, 'f5', ''],
	// kitty
	[`${escape}[27u`, 'esc', ''],
	[`${escape}[107;5u`, 'ctrl+k', ''],
	[`${escape}[107;6u`, 'ctrl+shift+k', ''],
	[`${escape}[97;3u`, 'alt+a', ''],
	[`${escape}[97;4u`, 'alt+A', ''],
	[`${escape}[97;2u`, 'A', 'A'],
	[`${escape}[49:33;2u`, '!', '!'],
	[`${escape}[97;;229u`, 'å', 'å'],
	[`${escape}[13;2u`, 'shift+enter', ''],
	[`${escape}[32u`, 'space', ' '],
	[`${escape}[32;5u`, 'ctrl+space', ''],
	[`${escape}[57414u`, 'enter', ''],
	[`${escape}[57400u`, '1', '1'],
	[`${escape}[57413u`, '+', '+'],
	[`${escape}[57421u`, 'pgup', ''],
	[`${escape}[106;1:2u`, 'j', 'j'],
	[`${escape}[1;1:2B`, 'down', ''],
	[`${escape}[106;65u`, 'j', 'j'],
] as const)('%j is %s', ([raw, id, text]) => {
	expect(parseKey(raw)).toEqual({id, text});
});

test.for([
	['a key release', `${escape}[106;1:3u`],
	['an arrow released', `${escape}[1;1:3A`],
	['a key with Super', `${escape}[107;9u`],
	['a modifier alone', `${escape}[57441;2u`],
	['a cursor report', `${escape}[24;80R`],
	['device attributes', `${escape}[?62;c`],
	['focus', `${escape}[I`],
	['a replacement character', '\uFFFD'],
	['a lone surrogate', '\uD83D'],
	['a C1 control', '\u009B'],
	['a number beyond Unicode', `${escape}[9999999u`],
	['nothing', ''],
] as const)('%s is no key', ([, raw]) => {
	expect(parseKey(raw)).toBeUndefined();
});

test('any text is a key with a name or none, and only printable keys have text', () => {
	assert(
		property(
			oneof(
				string({unit: 'binary', maxLength: 8}),
				stringMatching(/^\u001B[[O][0-9;:$^@~uA-Za-z]{1,8}$/),
			),
			raw => {
				const {id, text} = parseKey(raw) ?? {id: 'none', text: ''};
				expect(id).not.toBe('');
				expect(text).not.toMatch(/[\p{Cc}\p{Cs}]/u);
				expect(['', id === 'space' ? ' ' : id]).toContain(text);
			},
		),
		{numRuns: propertyRuns(5000)},
	);
});

test('what the test keyboard sends is read back under the same name', () => {
	const names = [
		'enter',
		'tab',
		'shift+tab',
		'esc',
		'space',
		'backspace',
		'delete',
		'insert',
		'up',
	];
	const more = [
		'down',
		'left',
		'right',
		'home',
		'end',
		'pgup',
		'pgdn',
		'ctrl+k',
		'alt+a',
		'ctrl+\\',
	];
	for (const name of [...names, ...more, 'j', 'G', '日']) {
		expect(parseKey(bytesOfKey(name))?.id).toBe(name);
	}
});

test.for(['constructor', 'toString', 'alt+constructor'])('%s is no key', name => {
	expect(() => bytesOfKey(name)).toThrow('Cannot press');
});
