import {expect, test} from 'vitest';
import {createMutex, createRepeat} from '../../source/core/mutex.ts';

test('what is asked for while a task is under way is done once more behind it, and each hears of one that began after it asked', async () => {
	const begun: Array<(result: number | Error) => void> = [];
	const oneByOne = createMutex();
	const repeat = createRepeat(
		async () =>
			new Promise<number>((resolve, reject) => {
				begun.push(result => {
					if (result instanceof Error) {
						reject(result);
					} else {
						resolve(result);
					}
				});
			}),
		oneByOne,
	);
	const first = [repeat(), repeat()];
	await expect.poll(() => begun.length).toBe(1);
	const second = [repeat(), repeat()];
	let isOver = false;
	const after = oneByOne(async () => {
		isOver = true;
	});
	begun[0]?.(new Error('the first fails'));
	expect((await Promise.allSettled(first)).map(({status}) => status)).toEqual([
		'rejected',
		'rejected',
	]);
	await expect.poll(() => begun.length).toBe(2);
	expect(isOver).toBe(false);
	begun[1]?.(2);
	expect(await Promise.all(second)).toEqual([2, 2]);
	await after;
	expect(begun).toHaveLength(2);
});
