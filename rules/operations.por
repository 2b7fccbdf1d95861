# operations.por - equations by which a search finds the same results in fewer operations.  What products of arrays
# are equal to by their labels is code: src/search/contractions.c.

book operations

common_factor:      a*x + a*y                => a*(x + y)                    real if wide(a)
common_factor_sub:  a*x - a*y                => a*(x - y)                    real if wide(a)
turned_product:     (A @ B).T               <=> B.T @ A.T                    real if rank(A) == 2 and rank(B) == 2
turned_sum:         (A + B).T               <=> A.T + B.T
