// @module-tag slow
import {Box} from 'ink';
import {render} from 'ink-testing-library';
import {expect, test} from 'vitest';
import {escapeLine} from '../../../source/core/untrusted.ts';
import {literal, safe} from '../../../source/terminal/text/safe.ts';
import {T} from '../../../source/tui/text/t.tsx';
import {attackCorpus} from '../../helpers/attack-corpus.ts';

test('a row is drawn as it was written', () => {
	const {lastFrame, unmount} = render(<T>{safe`> ${literal('gh-review')}  ${202} accepted`}</T>);

	expect(lastFrame()).toBe('> gh-review  202 accepted');
	unmount();
});

/** Rows of one frame: a frame costs as much as what is on it, and mounting costs more. */
const rowsAtOnce = 40;

test('nothing of the attack corpus reaches the terminal as a control sequence, and each stays in its row', () => {
	// One screen for all: Ink takes longer to mount with every one that was there before.
	const {lastFrame, rerender, unmount} = render(<T>{literal('')}</T>);
	for (let from = 0; from < attackCorpus.length; from += rowsAtOnce) {
		const texts = attackCorpus.slice(from, from + rowsAtOnce).map(text => escapeLine(text, 60));
		rerender(
			<Box flexDirection="column">
				{texts.map((text, index) => (
					// oxlint-disable-next-line react/no-array-index-key -- they are not moved
					<T key={from + index}>{safe`<${text}>`}</T>
				))}
			</Box>,
		);

		const frame = lastFrame() ?? '';
		expect(frame.split('\n').map(row => row.slice(0, 1))).toEqual(texts.map(() => '<'));
		// oxlint-disable-next-line no-control-regex -- control characters are what must not be there
		expect(frame).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
	}

	unmount();
});
