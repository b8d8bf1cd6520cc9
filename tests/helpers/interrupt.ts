const nothing = () => {};

/** Ctrl-C as this process hears of it. A library that ends the process where it alone listens must not end the tests. */
export function interrupt(): void {
	process.on('SIGINT', nothing);
	process.emit('SIGINT');
	process.off('SIGINT', nothing);
}
