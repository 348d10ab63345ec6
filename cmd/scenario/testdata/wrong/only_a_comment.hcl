# Nothing but this.

# want: SCN0111 1:1-1
