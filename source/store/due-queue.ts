/** When something is due: a time, and the number of the thing. */
type Due = {readonly at: number; readonly id: number};

/** Entries that mean nothing any more, beyond as many as mean something, before they are cleared away. */
const slack = 64;

export type DueQueue = {
	/** Says when `id` is due, in place of what was said before. */
	set(id: number, at: number): void;
	delete(id: number): void;
	/** The first that is due; of equal times the lowest number. */
	first(): Due | undefined;
};

/**
 * What is due when, first things first: a binary heap. An entry whose time was changed stays in it until it comes to the top, or until such entries are the most: every call
 * costs the logarithm of what is waiting.
 */
export function createDueQueue(): DueQueue {
	const times = new Map<number, number>();
	let heap: Due[] = [];

	const swap = (one: number, other: number) => {
		const [a, b] = [heap[one], heap[other]];
		if (a && b) {
			heap[one] = b;
			heap[other] = a;
		}
	};

	const rise = () => {
		for (let index = heap.length - 1; index > 0;) {
			const parent = Math.trunc((index - 1) / 2);
			if (!isBefore(heap[index], heap[parent])) {
				return;
			}

			swap(index, parent);
			index = parent;
		}
	};

	const sink = () => {
		for (let index = 0; ;) {
			const [left, right] = [2 * index + 1, 2 * index + 2];
			const child = isBefore(heap[right], heap[left]) ? right : left;
			if (!isBefore(heap[child], heap[index])) {
				return;
			}

			swap(index, child);
			index = child;
		}
	};

	const dropFirst = () => {
		swap(0, heap.length - 1);
		heap.pop();
		sink();
	};

	return {
		set(id, at) {
			times.set(id, at);
			if (heap.length > 2 * times.size + slack) {
				// A sorted list is a heap.
				heap = [...times].map(([of, due]) => ({id: of, at: due})).toSorted(compare);
				return;
			}

			heap.push({id, at});
			rise();
		},
		delete(id) {
			times.delete(id);
		},
		first() {
			for (;;) {
				const [first] = heap;
				if (!first || times.get(first.id) === first.at) {
					return first;
				}

				dropFirst();
			}
		},
	};
}

const compare = (a: Due, b: Due): number => a.at - b.at || a.id - b.id;

const isBefore = (a: Due | undefined, b: Due | undefined): boolean =>
	a !== undefined && (b === undefined || compare(a, b) < 0);
