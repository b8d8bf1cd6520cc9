import {render} from 'ink-testing-library';
import {expect, test} from 'vitest';
import {cell} from '../../../source/core/untrusted.ts';
import {literal, safe} from '../../../source/terminal/text/safe.ts';
import {T} from '../../../source/tui/text/t.tsx';
import {attackCorpus} from '../../helpers/attack-corpus.ts';

test('a row is drawn as it was written', () => {
	const {lastFrame, unmount} = render(<T>{safe`> ${literal('gh-review')}  ${202} accepted`}</T>);

	expect(lastFrame()).toBe('> gh-review  202 accepted');
	unmount();
});

test('nothing of the attack corpus reaches the terminal as a control sequence', () => {
	// One screen for all: Ink takes longer to mount with every one that was there before.
	const {lastFrame, rerender, unmount} = render(<T>{literal('')}</T>);
	for (const attack of attackCorpus) {
		const text = cell(attack, 60).text;
		rerender(<T>{safe`<${text}>`}</T>);

		expect(lastFrame()?.startsWith('<')).toBe(true);
		// oxlint-disable-next-line no-control-regex -- control characters are what must not be there
		expect(lastFrame()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
	}

	unmount();
});
