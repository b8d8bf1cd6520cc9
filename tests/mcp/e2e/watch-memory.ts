/** How far the peak of this process's memory grew. */
export function watchMemory() {
	const before = process.resourceUsage().maxRSS;
	return {grownMb: () => (process.resourceUsage().maxRSS - before) / 1024};
}
