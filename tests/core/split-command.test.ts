import {expect, test} from 'vitest';
import {splitCommand} from '../../source/core/shell-words.ts';

test.for([
	['vim', ['vim']],
	['  code   --wait ', ['code', '--wait']],
	['"/opt/my editor/ed" -f', ['/opt/my editor/ed', '-f']],
	[`'/opt/my editor/ed' -f`, ['/opt/my editor/ed', '-f']],
	[String.raw`/opt/my\ editor/ed`, ['/opt/my editor/ed']],
	[`emacs --eval '(setq a "b")'`, ['emacs', '--eval', '(setq a "b")']],
	[String.raw`a "b\"c\\d\n"`, ['a', String.raw`b"c\d\n`]],
	['less -R; rm -rf $HOME', ['less', '-R;', 'rm', '-rf', '$HOME']],
	[`a''b`, ['ab']],
	['', []],
	['   ', []],
] as const)('%j is %j', ([line, words]) => {
	expect(splitCommand(line)).toEqual(words);
});
